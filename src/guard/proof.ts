import type { IncomingMessage } from 'node:http'

/** Who waits to hear that a request has proven who it is from. */
const waiting = new WeakMap<IncomingMessage, () => void>()

/** Calls `proven` once, as soon as somebody vouches for `request`. */
export function awaitProof(request: IncomingMessage, proven: () => void): void {
  waiting.set(request, proven)
}

/** Whoever has checked a key or a signature says so: the request does not count as a stranger's any more. */
export function vouchFor(request: IncomingMessage): void {
  const proven = waiting.get(request)
  waiting.delete(request)
  proven?.()
}
