import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../common/log.ts'

/** Counters of tracing; plain numbers that can be read at any time. */
export class TraceCounters {
  /** Completed utterances, sampled or not. */
  utterances = 0
  /** Spans that the collector accepted. */
  exported = 0
  /** Spans that it rejected or did not accept in time. */
  failed = 0
}

type Spans = Parameters<SpanExporter['export']>[0]
type Done = Parameters<SpanExporter['export']>[1]

/** Counts exports, and logs when they start to fail and when they recover. */
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
      if (ok && this.#failing) this.#log.info({}, 'trace export recovered')
      if (!ok && !this.#failing)
        this.#log.warn({ reason: result.error?.name ?? 'unknown' }, 'trace export failed')
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
