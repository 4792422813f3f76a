import { type Clock, pause } from '../../common/clock.ts'
import { type ConnectionParameters, EVENT, type Namespace } from '../contract.ts'
import { isAccepted, isErrorObject } from './acknowledgment.ts'
import { type AudioData, audioBytes } from './batch-request.ts'
import { ServiceClientError } from './errors.ts'
import { EventQueue } from './event-queue.ts'
import type { ResultPaths } from './result-paths.ts'
import type { NamespaceAddress } from './service-address.ts'
import type { ServiceEvent, SessionEnd, SessionResult, SessionUtterance } from './session-events.ts'
import { voiceMode } from './session-query.ts'
import { SessionSocket } from './session-socket.ts'
import { audioAddress, streamedAudio } from './streamed-audio.ts'
import { wholeUtterances } from './whole-utterances.ts'

/** TCP, TLS and the handshake; from there to `start`; a send without any acknowledgment after it (ms). */
const CONNECT_MS = 5_000
const START_MS = 10_000
const ACK_MS = 10_000
/** A larger message ends the session (bytes). */
const MOST_MESSAGE_BYTES = 8 * 1_048_576
/** Maximum number of unacknowledged fragments or texts, and of `send` calls that wait for it. */
const MOST_UNACKNOWLEDGED = 16
const MOST_WAITING = 256
/** Maximum number and size of unread events: hours of speech. */
const MOST_UNREAD = 4_096
const MOST_UNREAD_BYTES = 64 * 1_048_576
/** Approximate size of an event without its audio. */
const EVENT_BYTES = 500
/** Silence sent by `finish` after audio, so that the last utterance ends, and the length of its pieces (ms). */
const TAIL_MS = 1_000
const TAIL_PIECE_MS = 100
/** `finish` after audio: everything counts as answered after this time without an event (ms). */
const QUIET_MS = 3_000
/** `finish` after text: maximum wait for a missing answer (ms). */
const ANSWER_MS = 15_000

/** Input of a namespace: text or audio. */
export type SessionInput<N extends Namespace> = N extends '/translator' | '/tts' ? string : AudioData

export interface SessionSetup<N extends Namespace> {
  readonly namespace: N
  /** Address of the service without namespace. */
  readonly base: string
  readonly address: NamespaceAddress
  readonly apiKey: string
  readonly query: Readonly<Record<string, string>>
  /** Sample rate of the input (Hz). */
  readonly rate: number
  readonly resultPaths: ResultPaths
  readonly audioOrigins: readonly string[]
  readonly clock: Clock
}

/**
 * One session at the service: `send` while iterating over the results. The code that opened it closes it; `ended` gives
 * the reason for its end and never rejects.
 */
export class ServiceSession<N extends Namespace = Namespace> implements AsyncDisposable {
  readonly namespace: N
  /** Settles when the session is over. */
  readonly ended: Promise<SessionEnd>

  readonly #setup: SessionSetup<N>
  readonly #takesText: boolean
  readonly #socket: SessionSocket
  readonly #queue = new EventQueue<ServiceEvent>(MOST_UNREAD, MOST_UNREAD_BYTES)
  readonly #over = new AbortController()
  readonly #opened = Promise.withResolvers<void>()
  readonly #end = Promise.withResolvers<SessionEnd>()
  #parameters: Readonly<ConnectionParameters & Record<string, unknown>> = {}
  #start: unknown
  #heardAt = 0
  /** Texts that were not rejected, and answers to them. */
  #texts = 0
  #answers = 0
  /** Number of fragments or texts sent. */
  #sent = 0
  #unacknowledged = 0
  #waiting = 0
  #ackDeadline: Disposable | undefined
  /** Settles with the next acknowledgment, and at the end. */
  #acknowledged = Promise.withResolvers<void>()
  /** A rejection that no `send` has reported. */
  #refusal: ServiceClientError | undefined
  #closed: ServiceClientError | undefined
  /** Settles when earlier input was sent. */
  #order: Promise<unknown> = Promise.resolve()

  private constructor(setup: SessionSetup<N>) {
    const { namespace, address, apiKey, query, resultPaths, clock } = setup
    this.#setup = setup
    this.namespace = namespace
    this.#takesText = namespace === '/translator' || namespace === '/tts'
    this.ended = this.#end.promise
    this.#socket = new SessionSocket(
      {
        ...{ address, apiKey, query, resultPaths, clock, voice: voiceMode(query) },
        ...{ connectMs: CONNECT_MS, startMs: START_MS, maxMessageBytes: MOST_MESSAGE_BYTES },
      },
      {
        connected: parameters => {
          if (typeof parameters === 'object' && parameters !== null) this.#parameters = { ...parameters }
        },
        ready: start => {
          this.#start = start
          this.#opened.resolve()
        },
        result: (result, payload) =>
          this.#event({ kind: 'result', ...result, payload }, EVENT_BYTES + (result.audio?.length ?? 0)),
        endOfSpeech: utterance => this.#event({ kind: 'endSynth', utterance }),
        fault: error => this.#event({ kind: 'error', error }),
        ended: end => this.#ended(end),
      },
    )
  }

  /** Settles when the service is ready. Rejects with a `ServiceClientError` after closing everything. */
  static async open<N extends Namespace>(
    setup: SessionSetup<N>,
    signal?: AbortSignal,
  ): Promise<ServiceSession<N>> {
    const session = new ServiceSession<N>(setup)
    const abort = () => session.#fail(ServiceClientError.found('closed/aborted', 'aborted by the caller'))
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    try {
      await session.#opened.promise
    } finally {
      signal?.removeEventListener('abort', abort)
    }
    return session
  }

  /** Payload of `connected`: the effective parameters. */
  get parameters(): Readonly<ConnectionParameters & Record<string, unknown>> {
    return this.#parameters
  }

  /** The payload of `start`: `true`, or the URL of streamed audio. */
  get start(): unknown {
    return this.#start
  }

  /**
   * Sends one fragment or text, and settles then: while 16 are unacknowledged, it waits. Rejects, without sending, with
   * the rejection of an earlier one (see `sent` of the failure), and when the session is over.
   */
  send(input: SessionInput<N>): Promise<void> {
    if (this.#takesText !== (typeof input === 'string'))
      return Promise.reject(new TypeError(`${this.namespace} takes ${this.#takesText ? 'text' : 'audio'}`))
    if (this.#waiting >= MOST_WAITING)
      return Promise.reject(
        ServiceClientError.found(
          'limit/too_many_waiting',
          `${MOST_WAITING} sends are already waiting: await each send`,
        ),
      )
    this.#waiting++
    const item = typeof input === 'string' ? input : audioBytes(input)
    const sending = Promise.all([item, this.#order]).then(([ready]) => this.#emit(ready))
    this.#order = sending.then(
      () => this.#waiting--,
      () => this.#waiting--,
    )
    return sending
  }

  /**
   * Results in order of arrival; one reader at a time. Results received before the end are delivered first, then a
   * failure is thrown.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<SessionResult, void> {
    for await (const event of this.events()) if (event.kind === 'result') yield event
  }

  /** Results, `endSynth` and errors about data, in order. */
  async *events(): AsyncGenerator<ServiceEvent, void> {
    for (;;) {
      const { done, value } = await this.#queue.next()
      if (done) return
      yield value
    }
  }

  /** Whole utterances: their final text and translation, and their complete mp3. */
  utterances(): AsyncGenerator<SessionUtterance, void> {
    const spoken = this.namespace === '/tts' || this.namespace === '/sts'
    return wholeUtterances(this.events(), spoken && typeof this.#start !== 'string')
  }

  /**
   * The streamed audio, if `start` carried a URL, else undefined. Fetch it soon, because the service can delete it.
   * Throws `ServiceClientError` `blocked/…` for a URL that must not be fetched.
   */
  get audio(): AsyncIterable<Uint8Array> | undefined {
    if (typeof this.#start !== 'string') return undefined
    const { base, apiKey, audioOrigins, clock } = this.#setup
    const address = audioAddress(this.#start, base, audioOrigins, this.#socket.peer)
    return streamedAudio({ address, apiKey, clock, signal: this.#over.signal })
  }

  /**
   * Ends the input: sends a short silence after audio, waits until everything was acknowledged and answered, and ends
   * the session. The interface has no event for that, so audio counts as answered when no event arrives for `quietMs`:
   * give a slow service more. Rejects with a rejection that no `send` has reported; the session is over then too.
   */
  async finish({ quietMs = QUIET_MS }: { readonly quietMs?: number } = {}): Promise<SessionEnd> {
    if (!(quietMs >= 0)) throw new RangeError(`quietMs is ${String(quietMs)}, allowed are numbers from 0`)
    try {
      await this.#order
      if (!this.#takesText) await this.#sendTail()
      while (this.#unacknowledged > 0 && this.#socket.ready) await this.#acknowledged.promise
      this.#throwRefusal()
      await this.#answered(quietMs)
    } catch (error) {
      this.#socket.end({ kind: 'closed' })
      const end = await this.ended
      if (end.kind !== 'failed') throw error
      return end
    }
    this.#socket.end({ kind: 'finished' })
    return this.ended
  }

  /** Ends the session now. Idempotent. */
  close(): Promise<SessionEnd> {
    this.#socket.end({ kind: 'closed' })
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #emit(item: string | Buffer): Promise<void> {
    while (this.#unacknowledged >= MOST_UNACKNOWLEDGED && !this.#closed) await this.#acknowledged.promise
    this.#throwRefusal()
    const sent = ++this.#sent
    const name = this.#takesText ? EVENT.text : EVENT.writeStream
    if (!this.#socket.emit(name, item, (...statuses) => this.#acked(sent, statuses))) return
    if (this.#takesText) this.#texts++
    this.#unacknowledged++
    this.#ackDeadline ??= this.#socket.limit(ACK_MS, 'timeout/no_acknowledgment', `acknowledge ${sent}`)
  }

  #throwRefusal(): void {
    const refusal = this.#closed ?? this.#refusal
    this.#refusal = undefined
    if (refusal) throw refusal
  }

  /** The service can answer in any order; it must go on answering while something is unacknowledged. */
  #acked(sent: number, statuses: readonly unknown[]): void {
    if (this.#closed) return
    this.#unacknowledged--
    this.#ackDeadline?.[Symbol.dispose]()
    this.#ackDeadline =
      this.#unacknowledged === 0
        ? undefined
        : this.#socket.limit(ACK_MS, 'timeout/no_acknowledgment', 'acknowledge what was sent')
    if (!isAccepted(statuses)) {
      if (this.#takesText) this.#texts--
      this.#refusal ??= this.#refusalOf(statuses).ofSend(sent)
    }
    this.#wake()
  }

  /** The service gives the reason in the status itself, or in an `error` just before. */
  #refusalOf(statuses: readonly unknown[]): ServiceClientError {
    const error = statuses.find(isErrorObject)
    // A bare failure status explains nothing.
    if (error && ('code' in error || 'error' in error)) return ServiceClientError.told(error)
    const reason = this.#socket.takeReason()
    return reason ?? ServiceClientError.found('refused/not_taken', 'the service rejected it without a reason')
  }

  #wake(): void {
    this.#acknowledged.resolve()
    this.#acknowledged = Promise.withResolvers()
  }

  #event(event: ServiceEvent, bytes = EVENT_BYTES): void {
    this.#heardAt = this.#setup.clock.now()
    if (event.kind === (this.namespace === '/tts' ? 'endSynth' : 'result')) this.#answers++
    if (this.#queue.push(event, bytes)) return
    this.#fail(
      ServiceClientError.found('limit/reader_too_slow', `${this.#queue.size} events are unread`, {
        retryable: false,
      }),
    )
  }

  async #sendTail(): Promise<void> {
    const piece = Buffer.alloc(Math.round((this.#setup.rate * TAIL_PIECE_MS) / 1_000) * 2)
    for (let ms = 0; ms < TAIL_MS; ms += TAIL_PIECE_MS) await this.#emit(piece)
  }

  /** Waits until no more events are expected. */
  async #answered(quietMs: number): Promise<void> {
    const { clock } = this.#setup
    this.#heardAt = clock.now()
    while (this.#socket.ready) {
      if (this.#takesText && this.#answers >= this.#texts) return
      const left = this.#heardAt + (this.#takesText ? ANSWER_MS : quietMs) - clock.now()
      if (left <= 0) return
      const wait = this.#takesText ? Math.min(left, 20) : left
      await Promise.race([this.ended, pause(clock, Math.max(wait, 10))])
    }
  }

  #fail(error: ServiceClientError): void {
    this.#socket.end({ kind: 'failed', error })
  }

  #ended(end: SessionEnd): void {
    const failure = end.kind === 'failed' ? end.error : undefined
    this.#closed = failure ?? ServiceClientError.found('closed/session_ended', 'the session is over')
    this.#ackDeadline?.[Symbol.dispose]()
    this.#wake()
    this.#queue.end(failure)
    // After the last answer, the service itself ends streamed audio once all of it was sent.
    if (end.kind !== 'finished') this.#over.abort()
    this.#opened.reject(this.#closed)
    this.#end.resolve(end)
  }
}
