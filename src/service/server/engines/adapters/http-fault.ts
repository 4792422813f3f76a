/** Something went wrong with one attempt at a request. Holds neither what was sent nor what was answered. */
export class HttpFault extends Error {
  /** Status of the answer, if there was one. */
  readonly status: number | undefined
  /** It may be over at the next attempt. */
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
