import type { FieldTable } from '../common/metric-field.ts'

/** Counters of tracing; plain numbers that can be read at any time. */
export class TraceCounters {
  /** Completed utterances, sampled or not. */
  utterances = 0
  /** Spans that the collector accepted. */
  exported = 0
  /** Spans that it rejected or did not accept in time. */
  failed = 0
}

/** The metric of each counter. */
export const TRACE_METRICS: FieldTable<TraceCounters> = {
  utterances: [
    'dragoman_traced_utterances_total',
    'Finished utterances while tracing is on, sampled or not.',
  ],
  exported: ['dragoman_trace_spans_exported_total', 'Spans accepted by the collector.'],
  failed: [
    'dragoman_trace_spans_failed_total',
    'Spans that the collector rejected or did not accept in time.',
  ],
}
