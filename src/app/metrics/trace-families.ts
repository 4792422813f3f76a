import type { TraceCounters } from '../../tracing/counted-exporter.ts'
import { type Family, type FieldTable, fieldFamilies } from '../../web/metrics/family.ts'

const TRACES: FieldTable<TraceCounters> = {
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

/** Metrics of tracing; without values if tracing is off. */
export function traceFamilies(counters: TraceCounters | undefined): Family[] {
  return fieldFamilies<TraceCounters>(TRACES, [], () => (counters ? [[[], counters]] : []))
}
