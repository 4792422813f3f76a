import type { IncomingMessage } from 'node:http'

/** Who waits to hear what a request has proven. */
export interface ProofListener {
  /** By a key or a signature: it belongs here. */
  known(): void
  /** By a link or the like, which others may have too. False: there are too many of those just now. */
  guest(): boolean
}

const waiting = new WeakMap<IncomingMessage, ProofListener>()

/** Tells `listener` what `request` proves, once for each. */
export function awaitProof(request: IncomingMessage, listener: ProofListener): void {
  waiting.set(request, listener)
}

/** Whoever has checked a key or a signature says so: the request does not count as a stranger's any more. */
export function vouchFor(request: IncomingMessage): void {
  const listener = waiting.get(request)
  waiting.delete(request)
  listener?.known()
}

/**
 * Whoever has checked a link says so. A link is handed on, so it lifts no limit of an address: it only keeps its bearer from being
 * refused since strangers are many. False: the request must be refused, since bearers of links make too many.
 */
export function vouchForGuest(request: IncomingMessage): boolean {
  return waiting.get(request)?.guest() ?? true
}
