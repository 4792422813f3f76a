import { type Attributes, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type Clock, withTimeout } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Observer } from '../../core/model/events.ts'
import type { TraceCounters } from './counters.ts'
import { type TracingSettings, traceAddress } from './settings.ts'
import { IN_ORDER, type UtteranceTrace, UtteranceWatch } from './utterance-spans.ts'

type Spans = Parameters<SpanExporter['export']>[0]
type Done = Parameters<SpanExporter['export']>[1]

/** Counts exports, and logs when they start to fail and when they recover. */
class CountedExporter implements SpanExporter {
  readonly #inner: SpanExporter
  readonly #counters: TraceCounters
  readonly #log: Logger
  #failing = false

  constructor(inner: SpanExporter, counters: TraceCounters, log: Logger) {
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

/** Writes one utterance as a span, with a child for each stage and one for its playback, at their actual times. */
function writeSpans(tracer: Tracer, utterance: UtteranceTrace): void {
  const { stages, begunAt, endedAt, outcome, error, latencyMs } = utterance
  const known = IN_ORDER.reduce((sum, stage) => sum + (stages[`${stage}Ms`] ?? 0), 0)
  const startTime = begunAt - (latencyMs ?? known)
  const span = tracer.startSpan(
    'utterance',
    { startTime, root: true, attributes: attributesOf(utterance) },
    ROOT_CONTEXT,
  )
  const within = trace.setSpan(ROOT_CONTEXT, span)
  const child = (name: string, from: number, to: number) =>
    tracer.startSpan(name, { startTime: from }, within).end(to)
  let at = begunAt - known
  for (const stage of IN_ORDER) {
    const ms = stages[`${stage}Ms`]
    if (ms === undefined) continue
    child(stage, at, at + ms)
    at += ms
  }
  if (utterance.listeners > 0) child('playing', begunAt, endedAt)
  if (outcome === 'dropped' || outcome === 'failed')
    span.setStatus({ code: SpanStatusCode.ERROR, message: error ?? outcome })
  span.end(endedAt)
}

function attributesOf(utterance: UtteranceTrace): Attributes {
  const { room, from, to, speakerChannel, listenerChannel, outcome, error, listeners, audioMs, latencyMs } =
    utterance
  return {
    'dragoman.room': room,
    'dragoman.language.from': from,
    'dragoman.language.to': to,
    'dragoman.channel.speaker': speakerChannel,
    'dragoman.channel.listener': listenerChannel,
    'dragoman.outcome': outcome,
    'dragoman.listeners': listeners,
    'dragoman.audio_ms': Math.round(audioMs),
    'dragoman.latency_ms': latencyMs === undefined ? undefined : Math.round(latencyMs),
    'error.type': error,
  }
}

/** Maximum number of queued spans, about 300 utterances; further spans are dropped. */
const MOST_WAITING = 2_048
/** Timeout of an export (ms). */
const EXPORT_MS = 5_000
/** Time to send queued spans on disposal (ms). */
const GOODBYE_MS = 2_000

export interface TracingOptions {
  readonly observer: Observer
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Logger
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
  { headers, sampleRatio, serviceName: service }: TracingSettings,
  url: string,
  { observer, clock, wall, log, counters, version, gatherMs = 2_000, exportMs = EXPORT_MS }: TracingOptions,
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
  watch.start()
  return {
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]()
      // Spans not accepted now are lost; the log already contains the failure.
      await withTimeout(clock, GOODBYE_MS, provider.shutdown())
    },
  }
}
