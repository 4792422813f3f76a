import { io, type Socket } from 'socket.io-client'
import { after, type Clock } from '../../core/clock.ts'
import { BridgeError, type EndReason, type ErrorCode } from '../../core/errors.ts'
import type { Connection, ConnectionSink } from '../../core/translator.ts'
import { EVENT } from '../contract.ts'
import { type ResultPlaces, readResult } from './result-reader.ts'
import { serviceError } from './service-error.ts'

/** How long each step may take (ms). */
export interface ConnectionDeadlines {
  /** TCP, TLS and the socket's handshake. */
  readonly connectMs: number
  /** From there to `start`. */
  readonly startMs: number
}

export interface ServiceConnectionOptions {
  /** `{base_url}/sts` or `/stt`. */
  readonly url: string
  readonly apiKey: string
  readonly query: Record<string, string>
  readonly deadlines: ConnectionDeadlines
  readonly clock: Clock
  readonly places: ResultPlaces
  /** A message larger than this ends the connection (bytes). */
  readonly maxMessageBytes: number
}

/** An `error` this long before the service hangs up is its reason for that (ms); an older one was about data. */
const REASON_MS = 2_000

/**
 * One Socket.IO connection, used once: websocket only, no reconnection, an engine of its own (`forceNew`: a shared one
 * would carry the first session's query). Nothing is sent before `start`, and never while disconnected, since the
 * library would keep it and deliver it stale.
 */
export class ServiceConnection implements Connection {
  readonly #socket: Socket
  readonly #sink: ConnectionSink
  readonly #options: ServiceConnectionOptions
  #state: 'connecting' | 'starting' | 'ready' | 'ended' = 'connecting'
  #deadline: Disposable
  #utterance = '0'
  #fault: BridgeError | undefined
  #faultAt = 0

  constructor(options: ServiceConnectionOptions, sink: ConnectionSink) {
    this.#options = options
    this.#sink = sink
    this.#deadline = this.#limit(options.deadlines.connectMs, 'no connection')
    const settings = {
      transports: ['websocket'],
      upgrade: false,
      reconnection: false,
      forceNew: true,
      perMessageDeflate: false,
      auth: { token: options.apiKey },
      query: options.query,
      timeout: options.deadlines.connectMs,
      // Handed on to the websocket; not in the library's types.
      maxPayload: options.maxMessageBytes,
    }
    this.#socket = io(options.url, settings as unknown as Parameters<typeof io>[1])
    this.#listen()
  }

  send(fragment: Uint8Array, sequence: number): void {
    if (this.#state !== 'ready' || !this.#socket.connected) return
    this.#socket.emit(EVENT.writeStream, fragment, (taken: unknown) => {
      if (this.#state === 'ready') this.#sink.acked(sequence, taken === true)
    })
  }

  close(): void {
    this.#end({ kind: 'hangup', by: 'local' })
  }

  #listen(): void {
    this.#socket.on('connect', () => {
      if (this.#state !== 'connecting') return
      this.#state = 'starting'
      this.#deadline[Symbol.dispose]()
      this.#deadline = this.#limit(this.#options.deadlines.startMs, 'no start')
    })
    this.#socket.on(EVENT.start, () => {
      if (this.#state !== 'starting') return
      this.#state = 'ready'
      this.#deadline[Symbol.dispose]()
      this.#sink.ready()
    })
    this.#socket.on(EVENT.result, (payload: unknown) => this.#result(payload))
    this.#socket.on(EVENT.endSynth, () => {
      if (this.#state === 'ready') this.#sink.endOfSpeech()
    })
    this.#socket.on(EVENT.error, (payload: unknown) => {
      this.#fault = serviceError(payload)
      this.#faultAt = this.#options.clock.now()
      if (this.#state === 'ready') this.#sink.fault(this.#fault)
    })
    this.#socket.on('connect_error', error => this.#failed(connectError(error)))
    this.#socket.on('disconnect', reason => {
      // The service says why in an `error` event just before it hangs up.
      const recent = this.#options.clock.now() - this.#faultAt <= REASON_MS
      const fault = recent && this.#fault && !this.#fault.retryable ? this.#fault : undefined
      this.#failed(fault ?? new BridgeError('SERVICE_LOST', `disconnected: ${reason}`, { retryable: true }))
    })
  }

  #result(payload: unknown): void {
    if (this.#state !== 'ready') return
    const result = readResult(payload, this.#utterance, this.#options.places)
    this.#utterance = result.utterance
    this.#sink.result(result)
  }

  #limit(ms: number, what: string): Disposable {
    return after(this.#options.clock, ms, () =>
      this.#failed(new BridgeError('SERVICE_SILENT', `${what} within ${ms} ms`, { retryable: true })),
    )
  }

  #failed(error: BridgeError): void {
    this.#end({ kind: 'failed', error })
  }

  #end(reason: EndReason): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#deadline[Symbol.dispose]()
    this.#socket.off()
    this.#socket.disconnect()
    this.#socket.io.engine?.close()
    this.#sink.ended(reason)
  }
}

/** What the service's middleware said, or why it could not be reached. */
function connectError(error: Error & { data?: unknown }): BridgeError {
  if (error.data !== undefined) return serviceError(error.data)
  const code: ErrorCode = 'SERVICE_UNREACHABLE'
  return new BridgeError(code, 'cannot connect to the service', { retryable: true, cause: error })
}
