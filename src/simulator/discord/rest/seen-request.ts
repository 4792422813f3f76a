/** One REST request and its response. Never includes the token. */
export interface SeenRequest {
  readonly method: string
  /** Without `/api/v10`, with the query: `/channels/123/messages?limit=5`. The token of an interaction or webhook is `:token`. */
  readonly path: string
  /** The route's pattern, `PATCH /channels/:channel/messages/:message`; undefined for an unknown route. */
  readonly route: string | undefined
  /** The body, parsed; undefined without one. */
  readonly body: unknown
  /** Milliseconds since 1970. */
  readonly at: number
  /** HTTP; undefined if the connection was cut or never answered. */
  readonly status: number | undefined
  /** Discord's own error code. */
  readonly code: number | undefined
}
