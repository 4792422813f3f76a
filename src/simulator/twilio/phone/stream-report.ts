import type { Histogram } from './histogram.ts'
import type { PlayoutReport } from './playout-report.ts'

/** End of a stream. */
export interface StreamEnd {
  /**
   * `phone`: by `stop` and our close · `server`: the server closed · `network`: the connection broke, from either side
   * · `refused`: it was never open.
   */
  readonly by: 'phone' | 'server' | 'network' | 'refused'
  /** The WebSocket's close code, 1006 without a close frame; for `refused` the HTTP status, 0 without a response. */
  readonly code: number
  readonly reason: string
}

/** Report of one socket. */
export interface StreamReport {
  readonly streamSid: string
  /** When `start` was sent, in milliseconds of the call's clock; undefined if it never was. */
  readonly startedAt: number | undefined
  /** Undefined while the stream is open. */
  readonly end: StreamEnd | undefined
  readonly playout: PlayoutReport
  /** Number of media messages to the server, and how late they reached the socket. */
  readonly sent: number
  readonly sendLateness: Histogram
  /** With the quirk `twinSocket`: how the server ended the second use of the token; undefined while it is open. */
  readonly twin: StreamEnd | undefined
}
