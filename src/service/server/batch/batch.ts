import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../../common/clock.ts'
import type { Log } from '../../../common/log.ts'
import { Mp3Pool } from '../../../transcode/mp3/mp3-pool.ts'
import type { BatchResult } from '../../contract.ts'
import type { Admission } from '../admission.ts'
import type { BatchSettings } from '../batch-config.ts'
import type { EngineSet } from '../engines/engine-set.ts'
import type { Query } from '../query.ts'
import { ServiceError } from '../service-error.ts'
import type { Workload } from '../workload.ts'
import { jobOf } from './job.ts'
import { readForm } from './job-form.ts'
import { JobLife } from './job-life.ts'
import type { JobHolder } from './job-limits.ts'
import { JobLine } from './job-line.ts'
import { type JobParameters, jobParameters } from './job-parameters.ts'
import { sendResult, wantsMp3 } from './job-reply.ts'

export interface BatchParts {
  readonly engines: EngineSet
  readonly admission: Admission
  /** Live sessions, which take precedence over jobs. */
  readonly workload: Pick<Workload, 'calm'>
  readonly settings: BatchSettings
  readonly clock: Clock
  readonly log: Log
}

/** Holder of the key of a request. A job counts as one of its sessions. */
export interface BatchHolder extends JobHolder {
  readonly name: string
  enter(end: (error: ServiceError) => void): Disposable
}

/** Maximum bytes per character in UTF-8. */
const CHARACTER_BYTES = 4

/**
 * The jobs of `POST /api/batch/file`. Each one occupies a place in the queue from the first byte of its request to the
 * last byte of its response, which bounds memory. While it is processed it also counts as a session of the service and
 * of its key.
 */
export class Batch {
  readonly #parts: BatchParts
  readonly #line: JobLine
  readonly #mp3: Mp3Pool

  constructor(parts: BatchParts) {
    const { batchWorkers, maxBatchJobs } = parts.settings
    this.#parts = parts
    this.#line = new JobLine(batchWorkers, maxBatchJobs)
    this.#mp3 = new Mp3Pool({ max: Math.min(batchWorkers, maxBatchJobs), spare: 0 })
  }

  /** Jobs in the queue, waiting or running. */
  get jobs(): number {
    return this.#line.inside
  }

  /** Processes a request and sends the response. Rejects with the error to report to the client. */
  async answer(request: FastifyRequest, reply: FastifyReply, holder: BatchHolder): Promise<FastifyReply> {
    const { admission, clock, settings } = this.#parts
    admission.assertRoom()
    const place = this.#line.join()
    const life = new JobLife(clock, settings)
    life.signal.addEventListener('abort', () => {
      // Too late for an error response. Destroying the connection at least marks the response as incomplete.
      if (reply.raw.headersSent) reply.raw.destroy()
    })
    reply.raw.once('close', () => {
      life.end(new ServiceError('form_malformed', 'the client disconnected'))
      life[Symbol.dispose]()
      place[Symbol.dispose]()
    })
    const limits = {
      maxFileBytes: settings.maxFileBytes,
      maxFieldBytes: settings.maxFileTextLength * CHARACTER_BYTES,
    }
    const form = await life.uploaded(readForm(request, limits))
    const parameters = jobParameters(form.fields as Query)
    const begun = clock.now()
    const result = await this.#work(parameters, form, holder, life, place)
    this.#note(parameters, result, holder, clock.now() - begun)
    return sendResult(reply, result, parameters, wantsMp3(request.headers.accept))
  }

  close(): void {
    this.#mp3.close()
  }

  async #work(
    parameters: JobParameters,
    form: Awaited<ReturnType<typeof readForm>>,
    holder: BatchHolder,
    life: JobLife,
    place: ReturnType<JobLine['join']>,
  ): Promise<BatchResult> {
    const { engines, clock, admission, workload, settings } = this.#parts
    const { signal } = life
    const limits = { maxFileMs: settings.maxFileMs, maxTextLength: settings.maxFileTextLength }
    const calm = () => workload.calm(signal)
    const work = jobOf(parameters, form, { engines, mp3: this.#mp3 }, { clock, limits, holder, calm, signal })
    using _session = holder.enter(error => life.end(error))
    await place.turn(signal)
    using _place = admission.take()
    return await work()
  }

  #note({ mode }: JobParameters, { durationMs, file }: BatchResult, holder: BatchHolder, ms: number): void {
    const bytes = file?.data.length ?? 0
    this.#parts.log.info({ key: holder.name, mode, durationMs, bytes, ms: Math.round(ms) }, 'batch job done')
  }
}
