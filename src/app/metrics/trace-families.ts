import type { TraceCounters } from '../../tracing/counted-exporter.ts'
import { type Family, type FieldTable, fieldFamilies } from '../../web/metrics/family.ts'

const TRACES: FieldTable<TraceCounters> = {
  utterances: [
    'dragoman_traced_utterances_total',
    'Utterances that are over while traces are on, sampled or not.',
  ],
  exported: ['dragoman_trace_spans_exported_total', 'Spans that the collector took.'],
  failed: ['dragoman_trace_spans_failed_total', 'Spans that the collector did not take, or not in time.'],
}

/** What becomes of traces; no values where there are none. */
export function traceFamilies(counters: TraceCounters | undefined): Family[] {
  return fieldFamilies<TraceCounters>(TRACES, [], () => (counters ? [[[], counters]] : []))
}
