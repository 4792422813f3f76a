import type { Socket } from 'socket.io-client'
import { after, type Clock } from '../../core/clock.ts'
import { EVENT } from '../contract.ts'
import { RESULT_PLACES, type ResultPlaces, readResult } from './result-reader.ts'
import { type ClientFault, ServiceFailure } from './service-failure.ts'
import type { SessionEnd, SessionEvent } from './session-event.ts'
import type { SessionSettings } from './session-options.ts'

/** Receives what happens on the wire, in order; nothing after `ended`. */
export interface SessionWireSink {
  connected(parameters: unknown): void
  /** The service takes data from now on; the payload of `start`. */
  ready(start: unknown): void
  /** `sent` was taken, or refused for this reason. */
  acked(sent: number, refusal?: ServiceFailure): void
  /** `bytes`: about what it holds. */
  event(event: SessionEvent, bytes: number): void
  ended(end: SessionEnd): void
}

export interface SessionWireOptions {
  readonly socket: Socket
  readonly settings: SessionSettings
  readonly clock: Clock
  readonly sink: SessionWireSink
}

/** An `error` so long ago explains why something was refused or why the service hangs up (ms). */
const REASON_MS = 2_000
/** Bytes that an event takes besides its audio, roughly. */
const EVENT_BYTES = 500

/**
 * A session's socket as events: deadlines for each step, acknowledgments, results read tolerantly.
 *
 *   connecting ──connect──▶ starting ──start──▶ ready        any ──end──▶ ended
 */
export class SessionWire {
  readonly #options: SessionWireOptions
  readonly #places: ResultPlaces
  readonly #acks = new Map<number, Disposable>()
  #state: 'connecting' | 'starting' | 'ready' | 'ended' = 'connecting'
  #deadline: Disposable
  #utterance = '0'
  /** The newest `error`, until something is explained by it. */
  #fault: { error: ServiceFailure; at: number } | undefined

  constructor(options: SessionWireOptions) {
    this.#options = options
    this.#places = { ...RESULT_PLACES, ...options.settings.places }
    this.#deadline = this.#limit(options.settings.connectMs, 'timeout/no_connection', 'connect')
    this.#listen()
  }

  get ready(): boolean {
    return this.#state === 'ready'
  }

  /** Sends text as `text`, bytes as `write_stream`. Only between `ready` and `ended`. */
  emit(item: string | Buffer, sent: number): void {
    const { socket, settings } = this.#options
    if (this.#state !== 'ready' || !socket.connected) return
    this.#acks.set(sent, this.#limit(settings.ackMs, 'timeout/no_acknowledgment', `acknowledge ${sent}`))
    socket.emit(typeof item === 'string' ? EVENT.text : EVENT.writeStream, item, (...answer: unknown[]) => {
      this.#acked(sent, answer)
    })
  }

  /** Ends the connection. Idempotent: the first end counts. */
  end(end: SessionEnd): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#deadline[Symbol.dispose]()
    for (const timer of this.#acks.values()) timer[Symbol.dispose]()
    const { socket, sink } = this.#options
    socket.off()
    socket.disconnect()
    socket.io.engine?.close()
    sink.ended(end)
  }

  #listen(): void {
    const { socket, settings, sink } = this.#options
    socket.on('connect', () => {
      if (this.#state !== 'connecting') return
      this.#state = 'starting'
      this.#deadline[Symbol.dispose]()
      this.#deadline = this.#limit(settings.startMs, 'timeout/no_start', 'start')
    })
    socket.on(EVENT.connected, (parameters: unknown) => sink.connected(parameters))
    socket.on(EVENT.start, (payload: unknown) => {
      if (this.#state !== 'starting') return
      this.#state = 'ready'
      this.#deadline[Symbol.dispose]()
      sink.ready(payload)
    })
    socket.on(EVENT.result, (payload: unknown) => this.#result(payload))
    socket.on(EVENT.endSynth, (payload: unknown) => {
      const utterance = readResult(payload, this.#utterance, this.#places).utterance
      if (this.#state === 'ready') sink.event({ kind: 'endSynth', utterance }, EVENT_BYTES)
    })
    socket.on(EVENT.error, (payload: unknown) => {
      const error = ServiceFailure.told(payload)
      this.#fault = { error, at: this.#options.clock.now() }
      if (this.#state === 'ready') sink.event({ kind: 'error', error }, EVENT_BYTES)
    })
    socket.on('connect_error', error => this.#failed(connectFailure(error)))
    socket.on('disconnect', reason => {
      // A service that hangs up says why just before; a connection that breaks has no reason.
      const told = reason === 'io server disconnect' || !this.ready ? this.#reason() : undefined
      this.#failed(told ?? ServiceFailure.found('unreachable/connection_lost', `disconnected: ${reason}`))
    })
  }

  #result(payload: unknown): void {
    if (this.#state !== 'ready') return
    const result = readResult(payload, this.#utterance, this.#places)
    this.#utterance = result.utterance
    const bytes = EVENT_BYTES + (result.audio?.length ?? 0)
    this.#options.sink.event({ kind: 'result', ...result, payload }, bytes)
  }

  #acked(sent: number, answer: readonly unknown[]): void {
    if (this.#state !== 'ready') return
    this.#acks.get(sent)?.[Symbol.dispose]()
    this.#acks.delete(sent)
    const refusal = this.#refusal(answer)
    if (refusal) this.#options.sink.acked(sent, refusal)
    else this.#options.sink.acked(sent)
  }

  /** A false value, or an error object, is a refusal; the service says why in an `error` just before. */
  #refusal(answer: readonly unknown[]): ServiceFailure | undefined {
    const [status] = answer
    if (typeof status === 'object' && status !== null && ('error' in status || 'code' in status)) {
      if (Object.values(status).some(value => typeof value === 'string' && value !== ''))
        return ServiceFailure.told(status)
    }
    if (answer.length === 0 || status) return undefined
    const reason = this.#reason()
    this.#fault = undefined
    return reason ?? ServiceFailure.found('refused/not_taken', 'the service did not take it')
  }

  #reason(): ServiceFailure | undefined {
    const { clock } = this.#options
    return this.#fault && clock.now() - this.#fault.at <= REASON_MS ? this.#fault.error : undefined
  }

  #limit(ms: number, fault: ClientFault, what: string): Disposable {
    return after(this.#options.clock, ms, () =>
      this.#failed(ServiceFailure.found(fault, `the service did not ${what} within ${ms} ms`)),
    )
  }

  #failed(error: ServiceFailure): void {
    this.end({ kind: 'failed', error })
  }
}

/** What the service's middleware said, or why it could not be reached. */
function connectFailure(error: Error & { data?: unknown }): ServiceFailure {
  if (error.data !== undefined) return ServiceFailure.told(error.data)
  return ServiceFailure.found('unreachable/connection_failed', 'cannot connect to the service', {
    cause: error,
  })
}
