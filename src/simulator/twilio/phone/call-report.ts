import { Histogram } from './histogram.ts'
import type { Notice } from './notice.ts'
import { emptyPlayoutReport, mergePlayout, type PlayoutReport } from './playout-report.ts'
import type { StreamReport } from './stream-report.ts'

/** All measurements and findings: the playout figures of all streams together, and each stream's own. */
export interface CallReport extends PlayoutReport {
  readonly callSid: string
  /** In the order in which they were opened, including rejected ones. */
  readonly streams: readonly StreamReport[]
  /** Errors that ended or rejected something: 11200 no answer, 31920 rejected upgrade, 31903 broken connection, … */
  readonly errors: readonly Notice[]
  /** Protocol violations of the server: 31931, 31950, 31951, `NOT_MULAW`. Listed once per stream; empty for a correct server. */
  readonly warnings: readonly Notice[]
  /** The texts of `<Say>`. */
  readonly said: readonly string[]
  /** Number of media messages to the server, and how late they reached the socket: how busy this machine was. */
  readonly sent: number
  readonly sendLateness: Histogram
}

/** Combines the reports of a call's streams into the report of the call. */
export function callReport(
  callSid: string,
  streams: readonly StreamReport[],
  found: Pick<CallReport, 'errors' | 'warnings' | 'said'>,
): CallReport {
  const playout = emptyPlayoutReport()
  const sendLateness = new Histogram()
  let sent = 0
  for (const stream of streams) {
    mergePlayout(playout, stream.playout)
    sendLateness.merge(stream.sendLateness)
    sent += stream.sent
  }
  return { ...playout, callSid, streams, ...found, sent, sendLateness }
}
