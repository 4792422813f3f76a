import { type Clock, setTimer } from '../../common/clock.ts'
import { parseJson } from '../../common/json.ts'
import { ServiceClientError } from './errors.ts'

/** Reads the body of an HTTP reply as JSON; undefined if it is not JSON. Throws if it exceeds `maxBytes`. */
async function boundedJson(response: Response, maxBytes: number): Promise<unknown> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes)
      throw ServiceClientError.found('protocol/reply_too_large', `the reply has more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return parseJson(Buffer.concat(pieces).toString('utf8'))
}

export interface ServiceRequest {
  readonly path: string
  /** Sent as multipart form data by POST. */
  readonly form?: FormData
  readonly timeoutMs: number
  readonly maxReplyBytes: number
  readonly signal?: AbortSignal | undefined
}

/** HTTP requests to the service, with its key; redirects are not followed. Rejects only with `ServiceClientError`. */
export class ServiceRequests {
  readonly #base: string
  readonly #apiKey: string
  readonly #clock: Clock

  /** `base`: address of the service without a trailing slash. */
  constructor(base: string, apiKey: string, clock: Clock) {
    this.#base = base
    this.#apiKey = apiKey
    this.#clock = clock
  }

  /** Returns the reply's JSON. */
  async json({ path, form, timeoutMs, maxReplyBytes, signal }: ServiceRequest): Promise<unknown> {
    const late = new AbortController()
    const timer = setTimer(this.#clock, timeoutMs, () => late.abort())
    try {
      const response = await fetch(`${this.#base}${path}`, {
        headers: { 'x-api-key': this.#apiKey },
        redirect: 'manual',
        signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal,
        method: form ? 'POST' : 'GET',
        body: form,
      })
      return replied(response, await boundedJson(response, maxReplyBytes), path)
    } catch (cause) {
      if (cause instanceof ServiceClientError) throw cause
      if (late.signal.aborted)
        throw ServiceClientError.found('timeout/no_reply', `${path} did not respond within ${timeoutMs} ms`)
      if (signal?.aborted) throw ServiceClientError.found('closed/aborted', 'aborted by the caller')
      throw ServiceClientError.found('unreachable/connection_failed', `cannot reach ${this.#base}`, { cause })
    } finally {
      timer[Symbol.dispose]()
    }
  }
}

function replied(response: Response, body: unknown, path: string): unknown {
  const { status, ok } = response
  if (ok && body !== undefined) return body
  if (ok) throw ServiceClientError.found('protocol/not_json', `${path} did not return JSON`, { status })
  if (typeof body === 'object' && body !== null && ('code' in body || 'error' in body))
    throw ServiceClientError.told(body, { status })
  throw ServiceClientError.found('protocol/http_status', `${path} returned HTTP ${status}`, {
    status,
    retryable: status >= 500 || status === 429,
  })
}
