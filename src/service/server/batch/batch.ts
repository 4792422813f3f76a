import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, setTimer } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import type { BatchResult } from '../../contract.ts'
import type { EngineSet } from '../../engines/engine-set.ts'
import type { LoadMonitor, SessionSlots } from '../capacity.ts'
import { ServiceError } from '../errors.ts'
import type { BoundSettings } from '../limits.ts'
import { jobOf } from './job.ts'
import { CHARACTER_BYTES, type JobHolder, type JobParameters, jobParameters, readForm } from './job-form.ts'
import { JobQueue, type LinePlace } from './job-queue.ts'
import { type UploadHolder, Uploads } from './uploads.ts'

/** Reasons that end a job early: timeouts, a disconnected client, a revoked key. */
class JobTimeouts implements Disposable {
  readonly #controller = new AbortController()
  #upload: Disposable | undefined
  #stall: Disposable | undefined
  #whole: Disposable | undefined

  /** Starts all timeouts; `received` returns the number of bytes received so far. Call it once. */
  start(
    clock: Clock,
    { uploadTimeoutMs, batchTimeoutMs }: Pick<BoundSettings, 'uploadTimeoutMs' | 'batchTimeoutMs'>,
    received: () => number,
  ): void {
    this.#watchStall(clock, received)
    this.#upload = setTimer(clock, uploadTimeoutMs, () =>
      this.end(
        new ServiceError('upload_too_slow', `the request was not complete after ${uploadTimeoutMs} ms`),
      ),
    )
    this.#whole = setTimer(clock, batchTimeoutMs, () =>
      this.end(new ServiceError('job_too_long', `the job was not finished after ${batchTimeoutMs} ms`)),
    )
  }

  /** Aborted with the `ServiceError` that ended the job. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(reason: ServiceError): void {
    this.#controller.abort(reason)
  }

  /** Resolves to the result of `upload`, unless the job ends first. */
  async uploaded<T>(upload: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const abort = () => reject(this.signal.reason)
    this.signal.addEventListener('abort', abort)
    try {
      this.signal.throwIfAborted()
      return await Promise.race([upload, promise])
    } finally {
      this.signal.removeEventListener('abort', abort)
      this.#upload?.[Symbol.dispose]()
      this.#stall?.[Symbol.dispose]()
    }
  }

  /** Cancels all timeouts. */
  [Symbol.dispose](): void {
    this.#upload?.[Symbol.dispose]()
    this.#stall?.[Symbol.dispose]()
    this.#whole?.[Symbol.dispose]()
  }

  #watchStall(clock: Clock, received: () => number): void {
    const before = received()
    this.#stall = setTimer(clock, STALL_MS, () => {
      if (received() > before) this.#watchStall(clock, received)
      else this.end(new ServiceError('upload_too_slow', `nothing was received for ${STALL_MS} ms`))
    })
  }
}

/** An upload that receives nothing for this long has stalled (ms). */
const STALL_MS = 15_000

/** Bytes serialized as numbers at a time. */
const PIECE_BYTES = 16 * 1024
const MP3 = 'audio/mpeg'

/** True if the request accepts the mp3 itself instead of JSON. */
function wantsMp3(accept: string | undefined): boolean {
  return accept?.split(',').some(type => type.split(';')[0]?.trim().toLowerCase() === MP3) ?? false
}

/**
 * Sends `result`: only the bytes of the mp3 when the client accepts them and there are any, otherwise JSON. The JSON is
 * serialized while it is sent, because bytes written as numbers take several times the space.
 */
function sendResult(
  reply: FastifyReply,
  result: BatchResult,
  { dataEncoding }: Pick<JobParameters, 'dataEncoding'>,
  mp3: boolean,
): FastifyReply {
  const { file, ...fields } = result
  if (!file) return reply.send(fields)
  const bytes = Buffer.from(file.data.buffer, file.data.byteOffset, file.data.byteLength)
  if (mp3) return reply.type(MP3).send(bytes)
  const described = { codec: file.codec, sampleRate: file.sampleRate }
  if (dataEncoding === 'base64')
    return reply.send({
      ...fields,
      file: { ...described, encoding: 'base64', data: bytes.toString('base64') },
    })
  const head = JSON.stringify({ ...fields, file: described }).slice(0, -2)
  return reply.type('application/json; charset=utf-8').send(Readable.from(withBytes(head, bytes)))
}

/** Serializes a Buffer as `JSON.stringify` does. */
function* withBytes(head: string, bytes: Buffer): Generator<string> {
  yield `${head},"data":{"type":"Buffer","data":[`
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield `${at === 0 ? '' : ','}${bytes.subarray(at, at + PIECE_BYTES).join(',')}`
  yield ']}}}'
}

export interface BatchOptions {
  readonly engines: EngineSet
  readonly admission: SessionSlots
  /** Live sessions, which take precedence over jobs. */
  readonly workload: Pick<LoadMonitor, 'calm'>
  readonly settings: BoundSettings
  readonly clock: Clock
  readonly log: Logger
}

/** Holder of the key of a request. A job counts as one of its sessions. */
export interface BatchHolder extends JobHolder, UploadHolder {
  assertRoom(): void
  enter(end: (error: ServiceError) => void): Disposable
}

/**
 * The jobs of `POST /api/batch/file`. Each one occupies a place in the queue from its complete request to the last byte
 * of its response, which bounds memory; uploads have a bound of their own, so that stalled ones take no place. While it
 * is processed it also counts as a session of the service and of its key.
 */
export class Batch {
  readonly #options: BatchOptions
  readonly #uploads: Uploads
  readonly #line: JobQueue

  constructor(options: BatchOptions) {
    const { batchWorkers, maxBatchJobs, maxFileBytes } = options.settings
    this.#options = options
    this.#uploads = new Uploads(maxBatchJobs * maxFileBytes)
    this.#line = new JobQueue(batchWorkers, maxBatchJobs)
  }

  /** Jobs in the queue, waiting or running. */
  get jobs(): number {
    return this.#line.inside
  }

  /** Requests that are being received. */
  get uploads(): number {
    return this.#uploads.size
  }

  /** Processes a request and sends the response. Rejects with the error to report to the client. */
  async answer(request: FastifyRequest, reply: FastifyReply, holder: BatchHolder): Promise<FastifyReply> {
    const { admission, clock, settings } = this.#options
    // Checked again when the file is there; a client that would be rejected anyway need not send it.
    admission.assertRoom()
    holder.assertRoom()
    this.#line.assertRoom(holder.name)
    const life = new JobTimeouts()
    const end = (error: ServiceError) => life.end(error)
    const upload = this.#uploads.begin(holder, end)
    const { socket } = request.raw
    life.start(clock, settings, () => socket.bytesRead)
    life.signal.addEventListener('abort', () => {
      // Too late for an error response. Destroying the connection at least marks the response as incomplete.
      if (reply.raw.headersSent) reply.raw.destroy()
    })
    const held: Disposable[] = [life, upload]
    reply.raw.once('close', () => {
      life.end(new ServiceError('form_malformed', 'the client disconnected'))
      for (const each of held) each[Symbol.dispose]()
    })
    const limits = {
      maxFileBytes: settings.maxFileBytes,
      maxFieldBytes: settings.maxFileTextLength * CHARACTER_BYTES,
      received: (bytes: number) => upload.received(bytes),
    }
    const form = await life.uploaded(readForm(request, limits))
    const parameters = jobParameters(form.fields)
    life.signal.throwIfAborted()
    const place = this.#line.join(holder.name, end)
    held.push(place)
    upload[Symbol.dispose]()
    const begun = clock.now()
    const result = await this.#work(parameters, form, holder, life, place)
    this.#note(parameters, result, holder, clock.now() - begun)
    return sendResult(reply, result, parameters, wantsMp3(request.headers.accept))
  }

  async #work(
    parameters: JobParameters,
    form: Awaited<ReturnType<typeof readForm>>,
    holder: BatchHolder,
    life: JobTimeouts,
    place: LinePlace,
  ): Promise<BatchResult> {
    const { engines, clock, admission, workload, settings } = this.#options
    const { signal } = life
    const limits = { maxFileMs: settings.maxFileMs, maxTextLength: settings.maxFileTextLength }
    const calm = () => workload.calm(signal)
    const work = jobOf(parameters, form, engines, { clock, limits, holder, calm, signal })
    using _session = holder.enter(error => life.end(error))
    await place.turn(signal)
    using _place = admission.take()
    return await work()
  }

  #note({ mode }: JobParameters, { durationMs, file }: BatchResult, holder: BatchHolder, ms: number): void {
    const bytes = file?.data.length ?? 0
    this.#options.log.info(
      { key: holder.name, mode, durationMs, bytes, ms: Math.round(ms) },
      'batch job done',
    )
  }
}
