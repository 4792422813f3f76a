import type { EndReason } from '../../common/lifecycle.ts'
import type { Upstream } from './circuit-breaker.ts'
import {
  type AudioSender,
  type Connection,
  type ConnectionSink,
  inAnyVoice,
  type TranslationRequest,
} from './translator.ts'

/** A connection that fails within this time after it was ready does not count as a success (ms). */
const STEADY_MS = 2_000

/** Time for which a service that permanently refused a request is not tried again (ms). */
const REFUSED_MS = 30_000

/** Events of a connection for its failover translator. */
export interface GateEvents {
  now(): number
  /** The attempt has ended: the connection is ready or has failed. */
  settled(connection: FailoverConnection): void
  /** The attempt failed; the failover translator decides what to do next. */
  failed(connection: FailoverConnection, reason: EndReason): void
  /** The connection has ended. */
  over(connection: FailoverConnection): void
}

/** A connection as a session sees it. It can wait for a service and try several services in turn. */
export class FailoverConnection implements Connection {
  readonly request: TranslationRequest
  readonly #sink: ConnectionSink
  readonly #events: GateEvents
  /** Services that failed since the connection last waited. */
  readonly tried = new Set<Upstream>()
  /** Time of the last permanent refusal by each service (clock ms). */
  readonly #refusedAt = new Map<Upstream, number>()
  /** The current service. */
  upstream: Upstream | undefined
  ready = false
  /** True once it was notified that a preferred service is available. */
  told = false
  /** True while it is a probe of an open circuit. */
  probe = false
  #inner: Connection | undefined
  #over = false
  #readyAt = 0
  #failuresBefore: readonly number[] = []

  constructor(request: TranslationRequest, sink: ConnectionSink, events: GateEvents) {
    this.request = request
    this.#sink = sink
    this.#events = events
  }

  /** Returns true if `upstream` recently refused this request permanently. The cause of older refusals can be fixed by now. */
  refusedBy(upstream: Upstream): boolean {
    const at = this.#refusedAt.get(upstream)
    return at !== undefined && this.#events.now() - at < REFUSED_MS
  }

  /** Opens the connection at `upstream`. */
  start(upstream: Upstream): void {
    const sink = this.#sink
    this.upstream = upstream
    upstream.health.attempted()
    // The requested voice belongs to the first service; other services might not offer it.
    const request = upstream.place === 0 ? this.request : inAnyVoice(this.request)
    // An attempt is over once it has ended, so its events need no check here; the session checks their connection.
    this.#inner = upstream.translator.open(request, {
      ...sink,
      ready: sender => this.#begin(upstream, sender),
      ended: reason => {
        if (!this.#over) this.#ended(upstream, reason)
      },
    })
  }

  send(fragment: Uint8Array, sequence: number): void {
    this.#inner?.send(fragment, sequence)
  }

  close(): void {
    this.end({ kind: 'hangup', by: 'local' })
  }

  /** Notifies the session that a preferred service is available again. */
  renew(): void {
    this.told = true
    if (this.ready) this.#sink.renew?.()
  }

  /** Ends the connection for its session. Idempotent. */
  end(reason: EndReason): void {
    if (this.#over) return
    this.#over = true
    const { upstream, ready } = this
    if (upstream && !ready) {
      if (this.probe) upstream.circuit.abandoned()
      upstream.health.abandoned()
      this.#events.settled(this)
    } else upstream?.health.ended()
    this.#inner?.close()
    this.#events.over(this)
    this.#sink.ended(reason)
  }

  #begin(upstream: Upstream, sender: AudioSender | undefined): void {
    if (this.#over) return
    this.#readyAt = this.#events.now()
    this.#failuresBefore = upstream.circuit.succeeded(this.#readyAt)
    this.ready = true
    this.probe = false
    upstream.health.succeeded()
    this.#events.settled(this)
    this.#sink.ready(sender ?? this.#inner, upstream.place > 0)
  }

  #ended(upstream: Upstream, reason: EndReason): void {
    if (!this.ready) {
      this.upstream = undefined
      this.probe = false
      if (reason.kind === 'failed') upstream.health.failed(reason.error)
      else upstream.health.abandoned()
      this.#events.settled(this)
      this.tried.add(upstream)
      if (reason.kind === 'failed' && !reason.error.retryable && !keyRefused(reason))
        this.#refusedAt.set(upstream, this.#events.now())
      this.#events.failed(this, reason)
      return
    }
    const now = this.#events.now()
    if (unreachable(reason) && now - this.#readyAt < STEADY_MS)
      upstream.circuit.unsteady(this.#failuresBefore, now)
    this.end(reason)
  }
}

/** Returns true if a service was unreachable rather than refusing a request. */
export function unreachable(reason: EndReason): boolean {
  return reason.kind === 'failed' && reason.error.retryable && reason.error.code !== 'SERVICE_REFUSED'
}

/** Returns true if a service refuses every connection with this key. */
export function keyRefused(reason: EndReason): boolean {
  return reason.kind === 'failed' && reason.error.code === 'SERVICE_KEY_REFUSED'
}
