import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { after, type Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Observer } from '../core/observer.ts'
import type { WallClock } from '../core/wall-clock.ts'
import { CountedExporter, type TraceCounters } from './counted-exporter.ts'
import { writeSpans } from './span-writer.ts'
import { type TracingSettings, traceAddress } from './tracing-settings.ts'
import { UtteranceWatch } from './utterance-watch.ts'

/** Spans that wait for the collector at most, those of some 300 utterances; what comes beyond is left out. */
const MOST_WAITING = 2_048
/** How long the collector may take (ms). */
const EXPORT_MS = 5_000
/** At the end, what waits has so long to get there (ms). */
const GOODBYE_MS = 2_000

export interface TracingParts {
  readonly observer: Observer
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Log
  readonly counters: TraceCounters
  readonly version: string
  /** How long spans are gathered before they are sent (ms). */
  readonly gatherMs?: number
  /** How long the collector may take (ms). */
  readonly exportMs?: number
}

/**
 * Tells a collector of every utterance from now on. Whatever the collector does, no call waits for it; disposing sends what is
 * left, for some seconds at most. Nothing of this is global: other tracing of the same program goes on as it is.
 */
export function openTracing(
  { headers, sampleRatio, service }: TracingSettings,
  url: string,
  { observer, clock, wall, log, counters, version, gatherMs = 2_000, exportMs = EXPORT_MS }: TracingParts,
): AsyncDisposable {
  const otlp = new OTLPTraceExporter({
    url: traceAddress(url),
    headers: { ...headers },
    timeoutMillis: exportMs,
  })
  const exporter = new CountedExporter(otlp, counters, log)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new TraceIdRatioBasedSampler(sampleRatio),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MOST_WAITING,
        maxExportBatchSize: 512,
        scheduledDelayMillis: gatherMs,
        exportTimeoutMillis: exportMs * 2,
      }),
    ],
  })
  const tracer = provider.getTracer('dragoman', version)
  const watch = new UtteranceWatch(observer, wall, utterance => {
    counters.utterances++
    writeSpans(tracer, utterance)
  })
  return {
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]()
      const late = Promise.withResolvers<void>()
      const timer = after(clock, GOODBYE_MS, () => late.resolve())
      // What the collector does not take now is lost; the log has said so.
      await Promise.race([provider.shutdown().catch(() => {}), late.promise])
      timer[Symbol.dispose]()
    },
  }
}
