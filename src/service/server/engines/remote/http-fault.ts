/** A failed attempt at a request. Contains neither the request nor the response. */
export class HttpFault extends Error {
  /** Status of the response, if any. */
  readonly status: number | undefined
  /** True if a retry may succeed. */
  readonly passing: boolean
  /** The request parameter that the server rejected, if it named one. */
  readonly parameter: string | undefined

  constructor(
    message: string,
    how: { status?: number; passing?: boolean; cause?: unknown; parameter?: string | undefined } = {},
  ) {
    super(message, how.cause === undefined ? {} : { cause: how.cause })
    this.name = 'HttpFault'
    this.status = how.status
    this.passing = how.passing ?? false
    this.parameter = how.parameter
  }
}
