import { Histogram } from './histogram.ts'
import type { Notice } from './notice.ts'
import { emptyPlayoutReport, mergePlayout, type PlayoutReport } from './playout-report.ts'
import type { StreamReport } from './stream-report.ts'

/** Everything that was measured and found: the playout figures of all streams together, and each stream's own. */
export interface CallReport extends PlayoutReport {
  readonly callSid: string
  /** In the order in which they were opened; a refused one is there too. */
  readonly streams: readonly StreamReport[]
  /** What ended or refused something: 11200 no answer, 31920 refused upgrade, 31903 broken connection, … */
  readonly errors: readonly Notice[]
  /** What the server sent and should not have: 31931, 31950, 31951, `NOT_MULAW`. Each once a stream. A good server's list is empty. */
  readonly warnings: readonly Notice[]
  /** The texts of `<Say>`. */
  readonly said: readonly string[]
  /** Media messages to the server, and how late they were handed to the socket: how busy this machine was. */
  readonly sent: number
  readonly sendLateness: Histogram
}

/** The report of a call from those of its streams. */
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
