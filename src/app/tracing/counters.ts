/** Counters of tracing; plain numbers that can be read at any time. */
export class TraceCounters {
  /** Completed utterances, sampled or not. */
  utterances = 0
  /** Spans that the collector accepted. */
  exported = 0
  /** Spans that it rejected or did not accept in time. */
  failed = 0
}
