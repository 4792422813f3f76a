import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, type Metric } from 'prom-client'
import type { ErrorCode } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { DialEnd } from '../../core/model/dialer.ts'
import type { Observer } from '../../core/model/events.ts'
import { single } from './metric.ts'

/** Maximum number of pairs of languages, which come from outside; further ones count as `other`. */
const MOST_PAIRS = 100

const OTHER = 'other'

// Prometheus does not count the first value of a new series as an increase, so the series that alerts and rates use
// start at 0.
const ENDS = Object.keys({
  hangup: 0,
  'parent-closed': 0,
  unused: 0,
  replaced: 0,
  idle: 0,
  failed: 0,
} satisfies Record<EndReason['kind'], 0>)
const CODES = Object.keys({
  STATE: 0,
  CONFIG: 0,
  STORAGE: 0,
  NOT_INSTALLED: 0,
  SERVICE_UNREACHABLE: 0,
  SERVICE_REFUSED: 0,
  SERVICE_KEY_REFUSED: 0,
  SERVICE_SILENT: 0,
  SERVICE_LOST: 0,
  SERVICE_PROTOCOL: 0,
  SERVICE_NOT_MP3: 0,
  LEG_PROTOCOL: 0,
  LEG_SILENT: 0,
  LEG_LOST: 0,
  JOIN_FAILED: 0,
  CAPACITY: 0,
  DIAL_REFUSED: 0,
  DIAL_QUOTA_EXCEEDED: 0,
  DIAL_FAILED: 0,
  SPEECH_UNAVAILABLE: 0,
  FLEET_AWAY: 0,
  FLEET_FAILED: 0,
  NODE_GONE: 0,
  NODE_LATE: 0,
} satisfies Record<ErrorCode, 0>)
const DIALS = Object.keys({
  answered: 0,
  hangup: 0,
  busy: 0,
  'no-answer': 0,
  voicemail: 0,
  canceled: 0,
  failed: 0,
} satisfies Record<'answered' | DialEnd, 0>)

/**
 * Counts the observable events that are rare enough for individual counting: joins, leaves, captions, recordings,
 * outages.
 */
export class EventMetrics implements Disposable {
  readonly metrics: readonly Metric[]
  readonly #subscriptions: readonly Disposable[]

  /** Counts from now on. `channels`: those whose counts start at 0. */
  constructor(observer: Observer, channels: readonly string[]) {
    const joined = counter('dragoman_participants_joined_total', 'Participants that joined a room.', [
      'channel',
    ])
    const left = counter(
      'dragoman_participants_left_total',
      'Participants that left permanently, by kind of end.',
      ['channel', 'reason'],
    )
    const failures = counter('dragoman_failures_total', 'Participants whose end was a failure, by code.', [
      'code',
    ])
    const captions = counter(
      'dragoman_captions_total',
      'Final captions, by spoken and translated language.',
      ['from', 'to'],
    )
    const dials = counter('dragoman_dials_total', 'Outbound calls, by outcome.', ['outcome'])
    const outageSeconds = counter(
      'dragoman_listener_outage_seconds_total',
      'Total time, in ended outages, that speakers spoke without being translated for a listener who needs it.',
      [],
    )
    for (const channel of channels) {
      joined.inc({ channel }, 0)
      for (const reason of ENDS) left.inc({ channel, reason }, 0)
    }
    for (const code of CODES) failures.inc({ code }, 0)
    for (const outcome of DIALS) dials.inc({ outcome }, 0)

    const pairs = new Set<string>()
    const recordings = new Set<string>()
    this.metrics = [
      ...[joined, left, failures, captions, dials, outageSeconds],
      single('dragoman_recordings', 'Recordings announced, in progress or paused.', () => recordings.size),
    ]
    this.#subscriptions = [
      observer.on('admitted', ({ channel }) => joined.inc({ channel })),
      observer.on('left', ({ channel, reason }) => {
        left.inc({ channel, reason: reason.kind })
        if (reason.kind === 'failed') failures.inc({ code: reason.error.code })
      }),
      observer.on('caption', ({ final, from, to }) => {
        if (!final) return
        if (pairs.size < MOST_PAIRS) pairs.add(`${from} ${to}`)
        captions.inc(pairs.has(`${from} ${to}`) ? { from, to } : { from: OTHER, to: OTHER })
      }),
      observer.on('dial', ({ outcome }) => dials.inc({ outcome })),
      observer.on('reception', ({ missedMs }) => outageSeconds.inc(missedMs / 1_000)),
      observer.on('recording', ({ recording, state }) => {
        if (state === 'ended') recordings.delete(recording)
        else recordings.add(recording)
      }),
    ]
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }
}

/** Bounds (s). */
const DURATION = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/**
 * Counts the requests to routes that are registered on `server` after this call, by route and never by address. `carriers`:
 * the names of the carriers, whose routes start with them.
 */
export function requestMetrics(server: FastifyInstance, carriers: readonly string[]): Metric[] {
  const requests = counter('dragoman_http_requests_total', 'Completed requests, by route.', [
    ...['route', 'method', 'status'],
  ])
  const seconds = new Histogram({
    name: 'dragoman_http_request_seconds',
    help: 'Time from request to end of response, without streams: of each carrier, of the control API, and others.',
    labelNames: ['area'],
    buckets: DURATION,
    registers: [],
  })
  const areas = new Set([...carriers, 'control'])
  for (const area of [...areas, OTHER]) seconds.zero({ area })
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    requests.inc({ route: routeLabel(route), method: request.method, status: reply.statusCode })
    // The duration of a stream does not measure latency.
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return
    const [, first = ''] = route.split('/')
    const area = first === 'v1' ? 'control' : first
    seconds.observe({ area: areas.has(area) ? area : OTHER }, reply.elapsedTime / 1_000)
  })
  return [requests, seconds]
}

/** All files of pages count as one route. */
function routeLabel(route: string): string {
  return route.startsWith('/files') ? '/files' : route
}

function counter(name: string, help: string, labelNames: readonly string[]): Counter {
  return new Counter({ name, help, labelNames, registers: [] })
}
