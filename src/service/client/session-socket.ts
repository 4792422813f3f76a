import { io, type Socket } from 'socket.io-client'
import { type Clock, setTimer } from '../../common/clock.ts'
import { parseJson } from '../../common/json.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import type { TranslationResult } from '../../core/translation/translator.ts'
import { EVENT } from '../contract.ts'
import { isAccepted } from './acknowledgment.ts'
import { connectFailure } from './connect-failure.ts'
import { type ClientFault, ServiceClientError } from './errors.ts'
import type { ResultPaths } from './result-paths.ts'
import { ResultReader } from './result-reader.ts'
import type { NamespaceAddress } from './service-address.ts'
import type { SessionEnd } from './session-events.ts'
import { UtteranceNumbers, type VoiceMode } from './utterance-numbers.ts'

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
  readonly address: NamespaceAddress
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
/** Maximum rate and burst of all events and pings: ten times the rate of speech in pieces of 20 ms. */
const EVENTS_PER_SECOND = 500
const EVENTS_AT_ONCE = 5_000

/**
 * One Socket.IO connection for one session, used once: websocket only, no reconnection
 * (`core/translation/reconnect-backoff.ts`), a separate engine (`forceNew`: a shared one would carry the first session's
 * query). Data is sent only after `start` and while connected, because the
 * library would queue it and deliver it stale. What the service does not read waits in the library; the holder bounds it by
 * the number of unacknowledged messages.
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
    const { address, apiKey, query, connectMs, maxMessageBytes, clock } = options
    this.#options = options
    this.#sink = sink
    this.#reader = new ResultReader(options.resultPaths)
    this.#numbers = new UtteranceNumbers(options.voice)
    this.#strays = new TokenBucket(STRAYS_PER_SECOND, STRAYS_PER_SECOND, clock.now())
    this.#events = new TokenBucket(EVENTS_PER_SECOND, EVENTS_AT_ONCE, clock.now())
    this.#deadline = this.limit(connectMs, 'timeout/no_connection', 'connect')
    // Missing in the library's types. `limit` above is the only deadline: with two at the same time, the reported error
    // would be random.
    const untyped: object = { perMessageDeflate: false, maxPayload: maxMessageBytes, timeout: false }
    this.#socket = io(address.url, {
      ...untyped,
      path: address.path,
      transports: ['websocket'],
      upgrade: false,
      reconnection: false,
      forceNew: true,
      auth: { token: apiKey },
      query,
    })
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

  /** Sends linear16 as `write_stream`; `sink.acked` follows. The fragment is copied. */
  send(fragment: Uint8Array, sequence: number): void {
    this.emit(EVENT.writeStream, Buffer.from(fragment), (...statuses) => {
      if (this.#state === 'ready') this.#sink.acked?.(sequence, isAccepted(statuses))
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

  /** Ends the connection. Idempotent: the first end counts. */
  end(end: SessionEnd): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#deadline[Symbol.dispose]()
    this.#socket.off()
    this.#socket.io.off('ping')
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
    // The library parses handshakes without a guard: an exception there would end the process.
    socket.io.engine.on('packet', packet => {
      if (packet.type !== 'open' || isHandshake(packet.data)) return
      packet.type = 'noop'
      this.#failed(
        ServiceClientError.found('protocol/http_status', 'no translation service answers there', {
          retryable: true,
        }),
      )
    })
    // The library answers each: a service that only pings and never reads would fill the memory.
    socket.io.on('ping', () => this.#count(this.#events))
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
    this.#deadline[Symbol.dispose]()
    this.#deadline = this.limit(this.#options.startMs, 'timeout/no_start', 'start')
  }

  #failed(error: ServiceClientError): void {
    this.end({ kind: 'failed', error })
  }
}

function isHandshake(data: unknown): boolean {
  const handshake = parseJson(String(data))
  return typeof handshake === 'object' && handshake !== null
}

/**
 * Returns the remote address of the socket, if known. The library has no option for it; without it, streamed audio is not
 * fetched from local addresses.
 */
function remoteAddress(socket: Socket): string | undefined {
  const transport = socket.io.engine?.transport as unknown as {
    readonly ws?: { readonly _socket?: { readonly remoteAddress?: string } }
  }
  return transport?.ws?._socket?.remoteAddress
}
