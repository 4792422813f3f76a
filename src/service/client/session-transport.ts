import { io, type Socket } from 'socket.io-client'
import { type Clock, setTimer } from '../../common/clock.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import type { TranslationResult } from '../../core/translation/translator.ts'
import { EVENT } from '../contract.ts'
import { type ClientFault, ServiceClientError, WITHOUT_CODE } from './errors.ts'
import { type ResultPaths, ResultReader, type SessionEnd } from './results.ts'
import type { SocketAddress } from './service-address.ts'
import { AckDecoder, EventEncoder } from './socket-io/packets.ts'
import { BinaryEventTransport } from './socket-io/transport.ts'
import { UtteranceNumbers, type VoiceMode } from './utterance-numbers.ts'

/** Success values that servers send in a field `code` or `error`. */
const FINE = new Set(['', 'ok', 'success', 'none', 'accepted', 'no_error'])

/**
 * Returns true if a payload was accepted. The interface specifies a boolean for audio and nothing for text; servers
 * also acknowledge with no value, a string or an object. So only false and values that look like an error count as a
 * rejection. `statuses`: all arguments of the acknowledgment.
 */
export function taken(statuses: readonly unknown[]): boolean {
  return !statuses.some(status => status === false || isErrorObject(status))
}

/** True if a status itself describes an error. */
export function isErrorObject(status: unknown): status is object {
  if (typeof status !== 'object' || status === null) return false
  if (status instanceof Error) return true
  const { ok, success, error, code } = status as Record<string, unknown>
  if (ok === false || success === false) return true
  if (ok === true || success === true) return false
  return tellsError(error) || tellsError(code)
}

function tellsError(value: unknown): boolean {
  if (typeof value === 'string') return !FINE.has(value.toLowerCase())
  // Numeric codes as in HTTP: below 400 is success.
  if (typeof value === 'number') return value >= 400
  return value === true || (typeof value === 'object' && value !== null)
}

/** The websocket library's extensions of the standard interface. */
interface Websocket {
  pause?(): void
  resume?(): void
  readonly _socket?: { readonly remoteAddress?: string }
}

function websocketOf(socket: Socket): Websocket | undefined {
  return (socket.io.engine?.transport as unknown as { ws?: Websocket } | undefined)?.ws
}

/** Stops reading, so that the service waits. Returns false if the websocket cannot pause. */
function pauseReading(socket: Socket): boolean {
  const websocket = websocketOf(socket)
  if (!websocket?.pause) return false
  websocket.pause()
  return true
}

function resumeReading(socket: Socket): void {
  websocketOf(socket)?.resume?.()
}

/**
 * Disables the library's check for overdue pings on each send, which uses the wall clock: setting the clock forward
 * would end every session. Its timer, which is independent of the wall clock, performs the same check.
 */
function ignoreWallClock(socket: Socket): void {
  const engine = socket.io.engine as unknown as { _hasPingExpired?: () => boolean } | undefined
  if (engine?._hasPingExpired) engine._hasPingExpired = () => false
}

/** Returns the remote address of the socket, if known. */
export function remoteAddress(socket: Socket): string | undefined {
  return websocketOf(socket)?._socket?.remoteAddress
}

/** Receives the events of the socket, in order; none after `ended`. */
export interface SessionSocketSink {
  connected?(parameters: unknown): void
  /** The service accepts data from now on; `start` is the payload of that event. */
  ready(start: unknown): void
  result(result: TranslationResult, payload: unknown): void
  /** `endSynth` of this utterance. */
  endOfSpeech(utterance: string): void
  /** An `error` about data; the session continues. */
  fault(error: ServiceClientError): void
  /** The fragment that `send` numbered `sequence` was accepted (`ok`) or rejected. */
  acked?(sequence: number, ok: boolean): void
  ended(end: SessionEnd): void
}

export interface SessionSocketOptions {
  readonly address: SocketAddress
  readonly apiKey: string
  readonly query: Readonly<Record<string, string>>
  /** TCP, TLS and the socket's handshake (ms). */
  readonly connectMs: number
  /** From there to `start` (ms). */
  readonly startMs: number
  /** A message larger than this ends the session (bytes). */
  readonly maxMessageBytes: number
  readonly resultPaths: ResultPaths
  /** Requested voice mode. */
  readonly voice: VoiceMode
  readonly clock: Clock
}

/** Maximum age of an `error` that explains a rejection or a disconnect by the service (ms). */
const REASON_MS = 2_000

/** Maximum rate of unknown events and errors; above it the session ends. */
const STRAYS_PER_SECOND = 200
/** Maximum rate and burst of all events: ten times the rate of speech in pieces of 20 ms. */
const EVENTS_PER_SECOND = 500
const EVENTS_AT_ONCE = 5_000

/**
 * One Socket.IO connection for one session, used once: websocket only, no reconnection, a separate engine (`forceNew`:
 * a shared one would carry the first session's query). Data is sent only after `start` and while connected, because the
 * library would queue it and deliver it stale.
 *
 *   connecting ──connect──▶ starting ──start──▶ ready        any ──end──▶ ended
 */
export class SessionSocket {
  readonly #options: SessionSocketOptions
  readonly #sink: SessionSocketSink
  readonly #socket: Socket
  #state: 'connecting' | 'starting' | 'ready' | 'ended' = 'connecting'
  #deadline: Disposable
  readonly #reader: ResultReader
  #numbers: UtteranceNumbers
  readonly #strays: TokenBucket
  readonly #events: TokenBucket
  #peer: string | undefined
  /** The latest `error`, until it has explained a failure. */
  #fault: { error: ServiceClientError; at: number } | undefined

  /** Connects immediately; events arrive only after the constructor has returned. */
  constructor(options: SessionSocketOptions, sink: SessionSocketSink) {
    this.#options = options
    this.#sink = sink
    this.#reader = new ResultReader(options.resultPaths)
    this.#numbers = new UtteranceNumbers(options.voice)
    this.#strays = new TokenBucket(STRAYS_PER_SECOND, STRAYS_PER_SECOND, options.clock.now())
    this.#events = new TokenBucket(EVENTS_PER_SECOND, EVENTS_AT_ONCE, options.clock.now())
    this.#deadline = this.limit(options.connectMs, 'timeout/no_connection', 'connect')
    const settings = {
      transports: [BinaryEventTransport],
      parser: { Encoder: EventEncoder, Decoder: AckDecoder },
      upgrade: false,
      reconnection: false,
      forceNew: true,
      perMessageDeflate: false,
      auth: { token: options.apiKey },
      query: options.query,
      // `limit` above is the only deadline: with two at the same time, the reported error would be random.
      timeout: false,
      // Passed on to the websocket; missing in the library's types.
      maxPayload: options.maxMessageBytes,
    }
    const { url, path } = options.address
    if (path !== undefined) Object.assign(settings, { path })
    this.#socket = io(url, settings as unknown as Parameters<typeof io>[1])
    this.#listen()
  }

  get ready(): boolean {
    return this.#state === 'ready'
  }

  /** The remote address of the current or last connection. */
  get peer(): string | undefined {
    return this.#peer
  }

  /** Sends `item` and passes on its acknowledgment. Returns false before `ready` and after `ended`. */
  emit(event: string, item: string | Uint8Array, acked: (...statuses: unknown[]) => void): boolean {
    if (this.#state !== 'ready' || !this.#socket.connected) return false
    this.#socket.emit(event, item, acked)
    return true
  }

  /** Sends linear16 as `write_stream`; `sink.acked` follows. */
  send(fragment: Uint8Array, sequence: number): void {
    this.emit(EVENT.writeStream, fragment, (...statuses) => {
      if (this.#state === 'ready') this.#sink.acked?.(sequence, taken(statuses))
    })
  }

  /** Returns the service's latest error if it is recent; each error explains only one failure. */
  takeReason(): ServiceClientError | undefined {
    const fault = this.#fault
    this.#fault = undefined
    return fault && this.#options.clock.now() - fault.at <= REASON_MS ? fault.error : undefined
  }

  /** Ends the session with this failure if the service does not do `what` in time. The caller disposes the timer. */
  limit(ms: number, fault: ClientFault, what: string): Disposable {
    return setTimer(this.#options.clock, ms, () =>
      this.#failed(ServiceClientError.found(fault, `the service did not ${what} within ${ms} ms`)),
    )
  }

  /** Stops reading, so that the service waits. Returns false if that is not possible. */
  pause(): boolean {
    return pauseReading(this.#socket)
  }

  resume(): void {
    resumeReading(this.#socket)
  }

  /** Ends the connection. Idempotent: the first end counts. */
  end(end: SessionEnd): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#deadline[Symbol.dispose]()
    this.#socket.off()
    this.#socket.disconnect()
    this.#socket.io.engine?.close()
    this.#sink.ended(end)
  }

  #listen(): void {
    const sink = this.#sink
    const socket = this.#socket
    socket.on('connect', () => this.#connected())
    socket.on(EVENT.connected, (parameters: unknown) => sink.connected?.(parameters))
    socket.on(EVENT.start, (payload: unknown) => {
      // Servers that emit before they confirm the connection, as python-socketio does in its connect handler: the
      // library delivers those events just before `connect`.
      this.#connected()
      if (this.#state !== 'starting') return
      this.#state = 'ready'
      this.#deadline[Symbol.dispose]()
      // The audio is fetched separately, so results carry only text.
      if (typeof payload === 'string') this.#numbers = new UtteranceNumbers('none')
      sink.ready(payload)
    })
    const known: readonly string[] = Object.values(EVENT)
    socket.onAny((event: string) => {
      const stray = event === EVENT.error || !known.includes(event)
      this.#count(this.#events)
      if (stray) this.#count(this.#strays)
    })
    socket.on(EVENT.result, (payload: unknown, ...more: unknown[]) => {
      if (this.#state !== 'ready') return
      const read = this.#reader.read(payload, ...more)
      const utterance = this.#numbers.of(read, this.#options.clock.now())
      const { name: _, final = true, ...rest } = read
      sink.result({ utterance, final, ...rest }, payload)
    })
    socket.on(EVENT.endSynth, (payload: unknown) => {
      if (this.#state === 'ready') sink.endOfSpeech(this.#numbers.end(this.#reader.read(payload).name))
    })
    socket.on(EVENT.error, (payload: unknown) => {
      const error = ServiceClientError.told(payload)
      this.#fault = { error, at: this.#options.clock.now() }
      if (this.#state === 'ready') sink.fault(error)
    })
    socket.on('connect_error', error => this.#failed(connectFailure(error, this.#options.address.hint)))
    socket.on('disconnect', reason => {
      // A service that disconnects sends the reason just before; a broken connection has none.
      const told = reason === 'io server disconnect' || !this.ready ? this.takeReason() : undefined
      this.#failed(told ?? ServiceClientError.found('unreachable/connection_lost', `disconnected: ${reason}`))
    })
  }

  /** A few extra events are harmless, a flood slows down all sessions. The limit for useless events is much lower. */
  #count(bucket: TokenBucket): void {
    if (bucket.take(this.#options.clock.now()) >= 0) return
    this.#failed(
      ServiceClientError.found('protocol/flood', 'the service floods the session with events', {
        retryable: true,
      }),
    )
  }

  #connected(): void {
    if (this.#state !== 'connecting') return
    this.#state = 'starting'
    this.#peer = remoteAddress(this.#socket)
    ignoreWallClock(this.#socket)
    this.#deadline[Symbol.dispose]()
    this.#deadline = this.limit(this.#options.startMs, 'timeout/no_start', 'start')
  }

  #failed(error: ServiceClientError): void {
    this.end({ kind: 'failed', error })
  }
}

/** Text with which servers without error codes refuse a key. */
const ABOUT_KEY =
  /unauthori[sz]ed|not authori[sz]ed|forbidden|authentication|(invalid|wrong|missing|unknown|no) (api[ -]?)?(key|token|credential)/i

/**
 * Returns the error of the service's middleware, or the reason why the service could not be reached. `hint`: advice if
 * the address is probably wrong.
 */
function connectFailure(error: Error & { data?: unknown }, hint: string | undefined): ServiceClientError {
  // The library's own errors have no `data` property; those of the service can have an empty one.
  if ('data' in error) {
    const told = ServiceClientError.told(error.data ?? error.message)
    if (hint !== undefined && (told.code === 'bad_namespace' || error.message === 'Invalid namespace'))
      return ServiceClientError.found('protocol/wrong_path', hint, { cause: error })
    if (told.error !== WITHOUT_CODE || !ABOUT_KEY.test(`${told.description} ${error.message}`)) return told
    return ServiceClientError.told({ ...told, code: 'unauthorized', description: told.description })
  }
  const why = reasonOf(error)
  const http = typeof why === 'number' ? `HTTP ${why}` : why
  const advice = hint !== undefined && typeof why === 'number' ? `; ${hint}` : ''
  // 5xx: a proxy whose service is away. Other answers than an upgrade come from something else at this address.
  if (typeof why === 'number' && why < 500)
    return ServiceClientError.found(
      'protocol/http_status',
      `no translation service answers there: ${http}${advice}`,
      { status: why, retryable: true, cause: error },
    )
  return ServiceClientError.found(
    'unreachable/connection_failed',
    `cannot connect to the service${http === undefined ? '' : `: ${http}`}${advice}`,
    { cause: error },
  )
}

/** Returns the system's code (ECONNREFUSED, CERT_HAS_EXPIRED) or the status of the handshake; no text from a server. */
function reasonOf(error: unknown): string | number | undefined {
  // The library hides it in the event of the failed websocket.
  const { description } = error as { description?: { error?: { code?: unknown; message?: unknown } } }
  const { code, message } = description?.error ?? {}
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code
  const status = typeof message === 'string' ? /server response: (\d{3})$/.exec(message)?.[1] : undefined
  return status === undefined ? undefined : Number(status)
}
