import type { Histogram } from './histogram.ts'
import type { PlayoutReport } from './playout-report.ts'

/** How a stream ended. */
export interface StreamEnd {
  /**
   * `phone`: by `stop` and a close of ours · `server`: the server closed · `network`: the connection broke, from
   * either side · `refused`: there never was one.
   */
  readonly by: 'phone' | 'server' | 'network' | 'refused'
  /** The WebSocket's close code, 1006 when there was none; for `refused` the HTTP status, 0 when there was none. */
  readonly code: number
  readonly reason: string
}

/** What one socket did. */
export interface StreamReport {
  readonly streamSid: string
  /** When `start` was sent, in milliseconds of the call's clock; undefined if it never was. */
  readonly startedAt: number | undefined
  /** Undefined while it lives. */
  readonly end: StreamEnd | undefined
  readonly playout: PlayoutReport
  /** Media messages to the server, and how late they were handed to the socket. */
  readonly sent: number
  readonly sendLateness: Histogram
  /** With the quirk `twinSocket`: how the server ended the second use of the token; undefined while it is let live. */
  readonly twin: StreamEnd | undefined
}
