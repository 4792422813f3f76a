import type { IncomingMessage } from 'node:http'

/** Is notified when a request is authenticated. */
export interface ProofListener {
  /** By a key or a signature. */
  known(): void
  /** By a link, which can be shared. Returns false if the limit for links is reached. */
  guest(): boolean
}

const waiting = new WeakMap<IncomingMessage, ProofListener>()

/** Notifies `listener` when `request` is authenticated; one listener per request. */
export function awaitProof(request: IncomingMessage, listener: ProofListener): void {
  waiting.set(request, listener)
}

/** A key or signature of `request` was verified: it no longer counts as unauthenticated. */
export function vouchFor(request: IncomingMessage): void {
  const listener = waiting.get(request)
  waiting.delete(request)
  listener?.known()
}

/**
 * A link of `request` was verified. Links can be shared, so limits per address still apply; only the limit for all
 * unauthenticated clients is lifted. False: the request must be rejected, because the limit for links is reached.
 */
export function vouchForGuest(request: IncomingMessage): boolean {
  return waiting.get(request)?.guest() ?? true
}
