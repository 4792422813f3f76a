import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../core/log.ts'

/** What tracing counts; plain numbers, safe to read at any time. */
export class TraceCounters {
  /** Utterances that are over, whether sampled or not. */
  utterances = 0
  /** Spans that the collector took. */
  exported = 0
  /** Spans that it did not take, or not in time. */
  failed = 0
}

type Spans = Parameters<SpanExporter['export']>[0]
type Done = Parameters<SpanExporter['export']>[1]

/** Counts what an exporter does, and says once when it begins to fail and when it works again. */
export class CountedExporter implements SpanExporter {
  readonly #inner: SpanExporter
  readonly #counters: TraceCounters
  readonly #log: Log
  #failing = false

  constructor(inner: SpanExporter, counters: TraceCounters, log: Log) {
    this.#inner = inner
    this.#counters = counters
    this.#log = log
  }

  export(spans: Spans, done: Done): void {
    this.#inner.export(spans, result => {
      const ok = result.code === 0
      this.#counters[ok ? 'exported' : 'failed'] += spans.length
      if (ok && this.#failing) this.#log.info({}, 'the collector of traces takes them again')
      if (!ok && !this.#failing)
        this.#log.warn(
          { reason: result.error?.name ?? 'unknown' },
          'the collector of traces does not take them',
        )
      this.#failing = !ok
      done(result)
    })
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush?.() ?? Promise.resolve()
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown()
  }
}
