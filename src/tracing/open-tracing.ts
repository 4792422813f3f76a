import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { after, type Clock } from '../common/clock.ts'
import type { Log } from '../common/log.ts'
import type { WallClock } from '../common/wall-clock.ts'
import type { Observer } from '../core/model/events.ts'
import { CountedExporter, type TraceCounters } from './counted-exporter.ts'
import { type TracingSettings, traceAddress } from './settings.ts'
import { writeSpans } from './span-writer.ts'
import { UtteranceWatch } from './utterance-watch.ts'

/** Maximum number of queued spans, about 300 utterances; further spans are dropped. */
const MOST_WAITING = 2_048
/** Timeout of an export (ms). */
const EXPORT_MS = 5_000
/** Time to send queued spans on disposal (ms). */
const GOODBYE_MS = 2_000

export interface TracingParts {
  readonly observer: Observer
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Log
  readonly counters: TraceCounters
  readonly version: string
  /** Interval between exports (ms). */
  readonly gatherMs?: number
  /** Timeout of an export (ms). */
  readonly exportMs?: number
}

/**
 * Starts to export every utterance. The collector never delays a call; disposing sends the remaining spans, for a few
 * seconds at most. Uses no global state: other tracing in the same program is unaffected.
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
      // Spans not accepted now are lost; the log already contains the failure.
      await Promise.race([provider.shutdown().catch(() => {}), late.promise])
      timer[Symbol.dispose]()
    },
  }
}
