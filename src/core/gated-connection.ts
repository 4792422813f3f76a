import type { EndReason } from './errors.ts'
import type { ServiceUpstream } from './service-upstream.ts'
import { type Connection, type ConnectionSink, inAnyVoice, type TranslationRequest } from './translator.ts'

/** A connection that broke so soon after it was ready was no success (ms). */
const STEADY_MS = 2_000

/** A service that refused a connection for good is not asked for the same again so soon (ms). */
const REFUSED_MS = 30_000

/** What a connection tells the gate. */
export interface GateEvents {
  now(): number
  /** It is being opened no more: it is ready, or it is not. */
  settled(connection: GatedConnection): void
  /** It did not come about; the gate decides what is done. */
  failed(connection: GatedConnection, reason: EndReason): void
  /** It is over. */
  over(connection: GatedConnection): void
}

/** A connection as a session sees it: it may wait before the gate, and be tried at one service after another. */
export class GatedConnection implements Connection {
  readonly request: TranslationRequest
  readonly #sink: ConnectionSink
  readonly #events: GateEvents
  /** Services that were tried in vain since it last waited. */
  readonly tried = new Set<ServiceUpstream>()
  /** When each service said that it cannot take it, not now and not later (clock ms). */
  readonly #refusedAt = new Map<ServiceUpstream, number>()
  /** The service that it is at. */
  upstream: ServiceUpstream | undefined
  ready = false
  /** It knows that a better service is there. */
  told = false
  /** It was let in to see whether the service is there. */
  probe = false
  #inner: Connection | undefined
  /** Opened so often: what an earlier one says is not heard. */
  #attempt = 0
  #over = false
  #readyAt = 0
  #failuresBefore: readonly number[] = []

  constructor(request: TranslationRequest, sink: ConnectionSink, events: GateEvents) {
    this.request = request
    this.#sink = sink
    this.#events = events
  }

  /** Whether `upstream` said lately that it cannot take it; what was said long ago may have been set right. */
  refusedBy(upstream: ServiceUpstream): boolean {
    const at = this.#refusedAt.get(upstream)
    return at !== undefined && this.#events.now() - at < REFUSED_MS
  }

  /** Opens it at `upstream`. */
  start(upstream: ServiceUpstream): void {
    const attempt = ++this.#attempt
    const heard = () => attempt === this.#attempt && !this.#over
    const sink = this.#sink
    this.upstream = upstream
    upstream.opening++
    // Voices are the first service's: another one may not have them.
    const request = upstream.place === 0 ? this.request : inAnyVoice(this.request)
    this.#inner = upstream.translator.open(request, {
      ready: () => void (heard() && this.#begin(upstream)),
      acked: (sequence, ok) => {
        if (attempt === this.#attempt) sink.acked(sequence, ok)
      },
      result: result => void (heard() && sink.result(result)),
      endOfSpeech: utterance => void (heard() && sink.endOfSpeech(utterance)),
      renew: ms => void (heard() && sink.renew?.(ms)),
      fault: error => void (heard() && sink.fault(error)),
      ended: reason => void (heard() && this.#ended(upstream, reason)),
    })
  }

  send(fragment: Uint8Array, sequence: number): void {
    if (this.ready) this.#inner?.send(fragment, sequence)
  }

  close(): void {
    this.end({ kind: 'hangup', by: 'local' })
  }

  /** A better service is there again; told once. */
  renew(): void {
    this.told = true
    if (this.ready) this.#sink.renew?.()
  }

  /** It is over for whoever asked for it. Idempotent. */
  end(reason: EndReason): void {
    if (this.#over) return
    this.#over = true
    const { upstream, ready } = this
    if (upstream && !ready && this.probe) upstream.circuit.abandoned()
    if (upstream && !ready) this.#settle(upstream)
    this.#inner?.close()
    this.#events.over(this)
    this.#sink.ended(reason)
  }

  #begin(upstream: ServiceUpstream): void {
    this.#readyAt = this.#events.now()
    this.#failuresBefore = upstream.circuit.succeeded(this.#readyAt)
    this.ready = true
    this.probe = false
    this.#settle(upstream)
    this.#sink.ready()
  }

  #ended(upstream: ServiceUpstream, reason: EndReason): void {
    if (!this.ready) {
      this.upstream = undefined
      this.probe = false
      this.#settle(upstream)
      // After this attempt nothing of it is heard, whatever the gate does next.
      this.#attempt++
      this.tried.add(upstream)
      if (reason.kind === 'failed' && !reason.error.retryable)
        this.#refusedAt.set(upstream, this.#events.now())
      this.#events.failed(this, reason)
      return
    }
    const now = this.#events.now()
    if (unreachable(reason) && now - this.#readyAt < STEADY_MS)
      upstream.circuit.unsteady(this.#failuresBefore, now)
    this.end(reason)
  }

  #settle(upstream: ServiceUpstream): void {
    upstream.opening--
    this.#events.settled(this)
  }
}

/** Whether a service was not there, rather than there and unwilling: only that says something about the next connection. */
export function unreachable(reason: EndReason): boolean {
  return reason.kind === 'failed' && reason.error.retryable && reason.error.code !== 'SERVICE_REFUSED'
}
