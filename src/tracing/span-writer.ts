import { type Attributes, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { IN_ORDER, type UtteranceTrace } from './utterance-trace.ts'

/** Writes one utterance as a span, with a child for each stage and one for its playback, at their actual times. */
export function writeSpans(tracer: Tracer, utterance: UtteranceTrace): void {
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
