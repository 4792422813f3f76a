import type { IncomingMessage } from 'node:http'

/** A fault of a simulated HTTP API; each API adds its own. */
export interface HttpFault {
  /** Applies only to these requests. Default all. */
  only?: string
  /** Returns this status and body instead, which does not have to be JSON. */
  reply?: { status: number; body?: string; type?: string }
  /** Delay of the response (ms). */
  delayMs?: number
  /** Cuts the connection before the request was carried out, or after, so that the client does not know. */
  cut?: 'before' | 'after'
  /** Never answers. */
  hang?: boolean
}

/** Selects the fault for a request: queued ones once each, in order, then the permanent ones. */
export class HttpFaults<F extends HttpFault> {
  readonly #matches: (only: string, request: string) => boolean
  readonly #permanent: F[] = []
  readonly #once: F[] = []

  /** `matches`: whether a fault for `only` applies to a request. Default: they are the same. */
  constructor(matches: (only: string, request: string) => boolean = (only, request) => only === request) {
    this.#matches = matches
  }

  /** Applies to the next request that matches. */
  next(fault: F): void {
    this.#once.push(fault)
  }

  /** Applies to every request that matches, until `heal`. */
  always(fault: F): void {
    this.#permanent.push(fault)
  }

  heal(): void {
    this.#permanent.length = 0
    this.#once.length = 0
  }

  /** Returns the fault for this request. */
  take(request: string): Partial<F> {
    const fits = ({ only }: F) => only === undefined || this.#matches(only, request)
    const at = this.#once.findIndex(fits)
    return at >= 0 ? this.#once.splice(at, 1)[0]! : (this.#permanent.find(fits) ?? {})
  }
}

/** Reads the body of a request to its end. Returns undefined if it is incomplete, `too long` above `maxBytes`. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too long' | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  return size > maxBytes ? 'too long' : Buffer.concat(chunks)
}
