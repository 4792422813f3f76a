import { BridgeError } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { AudioSender, Connection, ConnectionSink, TranslationRequest, Translator } from './translator.ts'

/** Minimum time between two attempts to connect (ms). */
const AGAIN_MS = 5_000
/** Without a pause in speech, the next connection is prepared this long before the current one ends (ms). */
const PREPARE_MS = 5_000
/** … and takes over this long before (ms). */
const CHANGE_MS = 1_000

/**
 * Decides when a session switches to a new connection: in a pause if one occurs in time, otherwise just before the
 * deadline. Pure.
 */
export class RenewalPolicy {
  #by: number | undefined
  #notBefore = Number.NEGATIVE_INFINITY

  /** Requests a new connection at `now`, within `ms` if the current one ends by then. */
  want(now: number, ms = Number.POSITIVE_INFINITY): void {
    this.#by = Math.min(this.#by ?? Number.POSITIVE_INFINITY, now + ms)
  }

  /** A new connection was established; clears the request. */
  begin(): void {
    this.#by = undefined
    this.#notBefore = Number.NEGATIVE_INFINITY
  }

  /** The new connection could not be established. */
  failed(now: number): void {
    this.#notBefore = now + AGAIN_MS
  }

  /** True if the new connection should be prepared. `resting`: the speaker pauses and all speech is answered. */
  prepares(now: number, resting: boolean): boolean {
    if (this.#by === undefined || now < this.#notBefore) return false
    return resting || now >= this.#by - PREPARE_MS
  }

  /** True if the new connection, once ready, should take over now. */
  changes(now: number, resting: boolean): boolean {
    return this.#by !== undefined && (resting || now >= this.#by - CHANGE_MS)
  }
}

/** A connection that accepts audio. */
export interface ReadyConnection {
  readonly sender: AudioSender
  /** It is one to a fallback service. */
  readonly fallback: boolean
}

/** A standby connection, prepared while another one is active. */
interface Next {
  readonly number: number
  connection: Connection | undefined
  ready: boolean
  /** Absent: the connection itself. */
  sender: AudioSender | undefined
  fallback: boolean
}

/** Events that a connection delivers during a session. */
export type Deliveries = Pick<ConnectionSink, 'acked' | 'result' | 'endOfSpeech' | 'fault'>

/** The events of the pair. */
export interface ConnectionPairEvents {
  /**
   * Returns the receiver of a new connection's deliveries. Only those of the active connection count: `active` tells if it
   * is, at the time of the call.
   */
  deliveries(active: () => boolean): Deliveries
  /** The active connection accepts audio, through `sender`. */
  ready(sender: AudioSender, fallback: boolean): void
  /** The active connection should be replaced; see `ConnectionSink`. */
  renew(ms?: number): void
  /** The active connection ended. */
  ended(reason: EndReason): void
  /** The standby connection could not be opened, or ended before it was needed. */
  standbyFailed(): void
  /** A connection, or a handler of its state, threw `error`. */
  thrown(error: unknown): void
}

export interface ConnectionPairOptions {
  readonly translator: Translator
  readonly request: TranslationRequest
  readonly events: ConnectionPairEvents
}

/**
 * A session's connection to the service: one active connection and, before it ends, a standby connection. Events from
 * any other connection have no effect.
 */
export class ConnectionPair {
  readonly #translator: Translator
  readonly #request: TranslationRequest
  readonly #events: ConnectionPairEvents
  #made = 0
  /** Number of the active connection; 0: none. */
  #number = 0
  #connection: Connection | undefined
  #next: Next | undefined

  constructor({ translator, request, events }: ConnectionPairOptions) {
    this.#translator = translator
    this.#request = request
    this.#events = events
  }

  /** State of the standby connection. */
  get next(): 'none' | 'opening' | 'ready' {
    if (!this.#next) return 'none'
    return this.#next.ready ? 'ready' : 'opening'
  }

  /** Opens a new active connection, replacing the current one. */
  open(): void {
    this.close()
    const number = ++this.#made
    this.#number = number
    const connection = this.#connect(number)
    if (this.#number === number) this.#connection = connection
    else this.#end(connection)
  }

  /** Opens a standby connection. */
  prepare(): void {
    const next: Next = {
      number: ++this.#made,
      connection: undefined,
      ready: false,
      sender: undefined,
      fallback: false,
    }
    this.#next = next
    next.connection = this.#connect(next.number)
  }

  /** Makes the standby connection the active one, without an event, and returns it. */
  change(): ReadyConnection {
    const next = this.#next
    if (!next?.ready || !next.connection)
      throw new RangeError(`the next connection is ${this.next}, not ready`)
    const old = this.#connection
    this.#next = undefined
    this.#number = next.number
    this.#connection = next.connection
    this.#end(old)
    return { sender: next.sender ?? next.connection, fallback: next.fallback }
  }

  /** The sender of the active connection threw `error`: the connection counts as ended. */
  sendFailed(error: unknown): void {
    this.#events.thrown(error)
    this.#ended(this.#number, broken(error))
  }

  /** Closes all connections; no further events follow. */
  close(): void {
    this.#number = 0
    const { connection } = this.#next ?? {}
    this.#next = undefined
    this.#end(connection)
    const present = this.#connection
    this.#connection = undefined
    this.#end(present)
  }

  #connect(number: number): Connection {
    const active = () => number === this.#number
    const events = this.#events
    const sink: ConnectionSink = {
      ...events.deliveries(active),
      ready: (sender, fallback = false) => {
        const next = this.#next
        if (next?.number === number) {
          next.ready = true
          next.sender = sender
          next.fallback = fallback
        } else if (active())
          this.#attempt(() => events.ready(sender ?? this.#connection ?? this.#late, fallback))
      },
      renew: ms => {
        if (active()) this.#attempt(() => events.renew(ms))
      },
      ended: reason => this.#attempt(() => this.#ended(number, reason)),
    }
    try {
      return this.#translator.open(this.#request, sink)
    } catch (error) {
      this.#events.thrown(error)
      // Deferred like the end of any connection, so that the caller has the connection before its end is reported.
      queueMicrotask(() => sink.ended(broken(error)))
      return { send() {}, close() {} }
    }
  }

  /** For a connection that is ready before `open` has returned it. */
  readonly #late: AudioSender = {
    send: (fragment, sequence) => this.#connection?.send(fragment, sequence),
  }

  #end(connection: Connection | undefined): void {
    this.#attempt(() => connection?.close())
  }

  #attempt(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.#events.thrown(error)
    }
  }

  #ended(number: number, reason: EndReason): void {
    if (this.#next?.number === number) {
      this.#next = undefined
      this.#events.standbyFailed()
    } else if (number === this.#number) this.#events.ended(reason)
  }
}

function broken(cause: unknown): EndReason {
  const error = new BridgeError('SERVICE_LOST', 'internal error in the connection', {
    retryable: true,
    cause,
  })
  return { kind: 'failed', error }
}
