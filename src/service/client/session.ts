import { type Clock, setTimer } from '../../common/clock.ts'
import { withDefaults } from '../../common/defaults.ts'
import type { ConnectionParameters, Namespace } from '../contract.ts'
import { type AudioData, audioBytes } from './batch-request.ts'
import { ServiceClientError } from './errors.ts'
import { EventQueue, SendWindow } from './flow-control.ts'
import {
  RESULT_PATHS,
  type SessionEnd,
  type SessionEvent,
  type SessionResult,
  type SessionUtterance,
} from './results.ts'
import type { SocketAddress } from './service-address.ts'
import { type SessionSettings, voiceMode } from './session-options.ts'
import { SessionWire } from './session-protocol.ts'
import { audioAddress, streamedAudio } from './streamed-audio.ts'

/** Maximum number of open utterances; above it, the oldest is treated as complete. */
const MOST_OPEN = 16

/**
 * Assembles events into whole utterances. With speech, an utterance is complete at its `endSynth`, otherwise at its
 * final result. Utterances that are empty (noise) are omitted.
 */
async function* wholeUtterances(
  events: AsyncIterable<SessionEvent>,
  spoken: boolean,
): AsyncGenerator<SessionUtterance, void> {
  const open = new Map<string, SessionResult[]>()
  function* whole(name: string | undefined): Generator<SessionUtterance, void> {
    const finals = name === undefined ? undefined : open.get(name)
    if (!finals) return
    open.delete(name!)
    const utterance = joined(finals)
    if (utterance.text || utterance.translation || utterance.audio) yield utterance
  }
  for await (const event of events) {
    if (event.kind === 'result' && event.final) {
      const { utterance } = event
      open.set(utterance, [...(open.get(utterance) ?? []), event])
      if (!spoken) yield* whole(utterance)
      else if (open.size > MOST_OPEN) yield* whole(open.keys().next().value)
    }
    // An end without a known name ends the oldest.
    if (spoken && event.kind === 'endSynth')
      yield* whole(open.has(event.utterance) ? event.utterance : open.keys().next().value)
  }
  for (const name of [...open.keys()]) yield* whole(name)
}

function joined(finals: readonly SessionResult[]): SessionUtterance {
  const [first] = finals
  const text = finals.findLast(final => final.text !== undefined)?.text
  const translation = finals.findLast(final => final.translation !== undefined)?.translation
  const pieces = finals.flatMap(({ audio }) => (audio ? [audio] : []))
  return {
    utterance: first?.utterance ?? '',
    text,
    translation,
    ...(pieces.length === 0 ? {} : { audio: Buffer.concat(pieces) }),
  }
}

/** Input of a namespace: text or audio. */
export type SessionInput<N extends Namespace> = N extends '/translator' | '/tts' ? string : AudioData

export interface SessionSetup<N extends Namespace> {
  readonly namespace: N
  /** Address of the service without namespace. */
  readonly base: string
  readonly address: SocketAddress
  readonly apiKey: string
  readonly query: Readonly<Record<string, string>>
  /** Sample rate of the input (Hz). */
  readonly rate: number
  readonly settings: SessionSettings
  readonly clock: Clock
}

/** Length of a piece of the silence after audio (ms). */
const TAIL_PIECE_MS = 100

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
  readonly #queue: EventQueue<SessionEvent>
  readonly #window: SendWindow<string | Buffer>
  readonly #wire: SessionWire
  readonly #over = new AbortController()
  readonly #opened = Promise.withResolvers<void>()
  readonly #end = Promise.withResolvers<SessionEnd>()
  #parameters: Readonly<ConnectionParameters & Record<string, unknown>> = {}
  #start: unknown
  #heardAt = 0
  #texts = 0
  #answers = 0
  /** Settles when earlier input is queued, as reading a Blob is asynchronous. */
  #order: Promise<unknown> = Promise.resolve()

  private constructor(setup: SessionSetup<N>) {
    const { namespace, address, apiKey, query, settings, clock } = setup
    this.#setup = setup
    this.namespace = namespace
    this.#takesText = namespace === '/translator' || namespace === '/tts'
    this.ended = this.#end.promise
    this.#queue = new EventQueue({
      maxItems: settings.maxUnread,
      maxBytes: settings.maxUnreadBytes,
      pause: () => this.#pause(),
      resume: () => {
        this.#heardAt = clock.now()
        this.#wire.resume()
      },
    })
    this.#window = new SendWindow({
      size: settings.window,
      maxWaiting: settings.maxWaiting,
      emit: (item, sent) => this.#wire.emit(item, sent),
    })
    const { resultPaths, connectMs, startMs, ackMs, maxMessageBytes } = settings
    const limits = { connectMs, startMs, ackMs, maxMessageBytes }
    const reading = { resultPaths: withDefaults(RESULT_PATHS, resultPaths), voice: voiceMode(query), clock }
    this.#wire = new SessionWire(
      { address, apiKey, query, ...limits, ...reading },
      {
        connected: parameters => {
          if (typeof parameters === 'object' && parameters !== null) this.#parameters = { ...parameters }
        },
        ready: start => {
          this.#start = start
          this.#window.open()
          this.#opened.resolve()
        },
        acked: (sent, refusal) => {
          if (refusal && this.#takesText) this.#texts--
          this.#window.acked(sent, refusal)
        },
        event: (event, bytes) => this.#event(event, bytes),
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
   * Sends one fragment or text; settles when there is room for the next. Rejects when it, or an earlier one whose
   * `send` had settled, was rejected (see `sent` of the failure), and when the session is over.
   */
  send(input: SessionInput<N>): Promise<void> {
    if (this.#takesText !== (typeof input === 'string'))
      return Promise.reject(new TypeError(`${this.namespace} takes ${this.#takesText ? 'text' : 'audio'}`))
    if (typeof input === 'string') {
      this.#texts++
      return this.#window.send(input)
    }
    const bytes = Promise.all([audioBytes(input), this.#order]).then(([data]) => data)
    const sending = bytes.then(data => ({ settled: this.#window.send(data) }))
    this.#order = sending.catch(() => {})
    return sending.then(({ settled }) => settled)
  }

  /**
   * Results in order of arrival; one reader at a time. Results received before the end are delivered first, then a
   * failure is thrown.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<SessionResult, void> {
    for await (const event of this.events()) if (event.kind === 'result') yield event
  }

  /** Results, `endSynth` and errors about data, in order. */
  async *events(): AsyncGenerator<SessionEvent, void> {
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
    const { base, apiKey, settings, clock } = this.#setup
    const address = audioAddress(this.#start, base, settings.audioOrigins, this.#wire.peer)
    const { audioMs, maxAudioBytes } = settings
    return streamedAudio({ address, apiKey, audioMs, maxAudioBytes, clock, signal: this.#over.signal })
  }

  /**
   * Ends the input: sends a short silence after audio, waits until everything was acknowledged and answered, and ends
   * the session. The interface has no event for that, so audio counts as answered when no event arrives for `quietMs`.
   * Rejects with a rejection that no `send` has reported; the session is over then too.
   */
  async finish(): Promise<SessionEnd> {
    try {
      await this.#order
      if (!this.#takesText) await this.#sendTail()
      await this.#window.drained()
      await this.#answered()
    } catch (error) {
      this.#wire.end({ kind: 'closed' })
      const end = await this.ended
      if (end.kind !== 'failed') throw error
      return end
    }
    this.#wire.end({ kind: 'finished' })
    return this.ended
  }

  /** Ends the session now. Idempotent. */
  close(): Promise<SessionEnd> {
    this.#wire.end({ kind: 'closed' })
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #event(event: SessionEvent, bytes: number): void {
    this.#heardAt = this.#setup.clock.now()
    if (event.kind === (this.namespace === '/tts' ? 'endSynth' : 'result')) this.#answers++
    this.#queue.push(event, bytes)
  }

  /**
   * The reader is slow, so the service has to wait. If the socket cannot pause, the session ends rather than dropping
   * events.
   */
  #pause(): void {
    if (this.#wire.pause()) return
    this.#fail(
      ServiceClientError.found('limit/reader_too_slow', `${this.#queue.size} events are unread`, {
        retryable: false,
      }),
    )
  }

  async #sendTail(): Promise<void> {
    const { rate, settings } = this.#setup
    const piece = Buffer.alloc(Math.round((rate * TAIL_PIECE_MS) / 1_000) * 2)
    for (let ms = 0; ms < settings.tailMs; ms += TAIL_PIECE_MS) await this.#window.send(piece)
  }

  /** Waits until no more events are expected. Time with a full queue is not counted against the service. */
  async #answered(): Promise<void> {
    const { clock, settings } = this.#setup
    const { quietMs, answerMs } = settings
    this.#heardAt = clock.now()
    while (this.#wire.ready) {
      if (this.#takesText && this.#answers >= this.#texts) return
      const left = this.#heardAt + (this.#takesText ? answerMs : quietMs) - clock.now()
      if (left <= 0 && !this.#queue.full) return
      const wait = this.#takesText ? Math.min(left, 20) : left
      await Promise.race([this.ended, pause(clock, Math.max(wait, 10))])
    }
  }

  #fail(error: ServiceClientError): void {
    this.#wire.end({ kind: 'failed', error })
  }

  #ended(end: SessionEnd): void {
    const failure = end.kind === 'failed' ? end.error : undefined
    const closed = failure ?? ServiceClientError.found('closed/session_ended', 'the session is over')
    this.#window.end(closed)
    this.#queue.end(failure)
    // After the last answer, the service itself ends streamed audio once all of it was sent.
    if (end.kind !== 'finished') this.#over.abort()
    this.#opened.reject(closed)
    this.#end.resolve(end)
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => setTimer(clock, ms, resolve))
}
