import type { Json } from '../json.ts'

/** A request with its route resolved. */
export interface ApiRequest {
  /** The named segments of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Parsed; undefined without one. */
  readonly body: unknown
}

export interface ApiReply {
  readonly status: number
  /** Undefined for an empty body, as with 204. */
  readonly body: Json | readonly Json[] | undefined
}

export function ok(body: Json | readonly Json[], status = 200): ApiReply {
  return { status, body }
}

export const NO_CONTENT: ApiReply = { status: 204, body: undefined }
