import type { FastifyInstance } from 'fastify'
import type { ErrorCode } from '../../common/errors.ts'
import { Histogram } from '../../common/histogram.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { DialEnd } from '../../core/model/dialer.ts'
import type { Observer } from '../../core/model/events.ts'
import { type Family, histogramFamily, type Labeled, labeled } from './metric-family.ts'

/** Maximum number of label combinations; further ones count as `other`. */
const MOST_VALUES = 100

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
  STORAGE: 0,
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

/** Counts by label values, with a limit on distinct combinations. */
export class Tally {
  readonly #most: number
  readonly #counts = new Map<string, { readonly labels: readonly string[]; count: number }>()

  /** `known`: combinations that exist from the start. */
  constructor(most = MOST_VALUES, known: readonly (readonly string[])[] = []) {
    this.#most = most
    for (const labels of known) this.#counts.set(labels.join('\n'), { labels, count: 0 })
  }

  add(labels: readonly string[]): void {
    const key = labels.join('\n')
    if (this.#counts.has(key) || this.#counts.size < this.#most) this.#count(key, labels)
    else
      this.#count(
        OTHER,
        labels.map(() => OTHER),
      )
  }

  get all(): Labeled {
    return Array.from(this.#counts.values(), ({ labels, count }) => [labels, count] as const)
  }

  #count(key: string, labels: readonly string[]): void {
    const known = this.#counts.get(key)
    if (known) known.count++
    else this.#counts.set(key, { labels, count: 1 })
  }
}

/**
 * Counts the observable events that are rare enough for individual counting: joins, leaves, captions, recordings, keys.
 */
export class EventTally implements Disposable {
  /** By channel. */
  readonly joined: Tally
  /** By channel and kind of end. */
  readonly left: Tally
  /** By error code. */
  readonly failures = new Tally(
    MOST_VALUES,
    CODES.map(code => [code]),
  )
  /** Final captions, by spoken and translated language. */
  readonly captions = new Tally()
  /** By command. */
  readonly commands = new Tally()
  /** By progress. */
  readonly notices = new Tally()
  /** By outcome. */
  readonly dials = new Tally(
    MOST_VALUES,
    DIALS.map(outcome => [outcome]),
  )
  /** By state. */
  readonly recordings = new Tally()
  dtmfKeys = 0
  /** Times that a speaker spoke without being translated for a listener, and the total duration (ms). */
  outages = 0
  outageMs = 0
  readonly #recordings = new Map<string, string>()
  readonly #observer: Observer
  #subscriptions: readonly Disposable[] = []

  /** `channels`: those whose counts start at 0. */
  constructor(observer: Observer, channels: readonly string[]) {
    this.#observer = observer
    this.joined = new Tally(
      MOST_VALUES,
      channels.map(channel => [channel]),
    )
    this.left = new Tally(
      MOST_VALUES,
      channels.flatMap(channel => ENDS.map(end => [channel, end])),
    )
  }

  /** Counts from now on. Call it once. */
  start(): void {
    const observer = this.#observer
    this.#subscriptions = [
      observer.on('admitted', ({ channel }) => this.joined.add([channel])),
      observer.on('left', ({ channel, reason }) => {
        this.left.add([channel, reason.kind])
        if (reason.kind === 'failed') this.failures.add([reason.error.code])
      }),
      observer.on('caption', ({ final, from, to }) => {
        if (final) this.captions.add([from, to])
      }),
      observer.on('command', ({ action }) => this.commands.add([action])),
      observer.on('notice', ({ stage }) => this.notices.add([stage])),
      observer.on('dial', ({ outcome }) => this.dials.add([outcome])),
      observer.on('dtmf', () => {
        this.dtmfKeys++
      }),
      observer.on('outage', ({ active, durationMs }) => {
        if (active) this.outages++
        else this.outageMs += durationMs
      }),
      observer.on('recording', ({ recording, state }) => {
        this.recordings.add([state])
        if (state === 'ended') this.#recordings.delete(recording)
        else this.#recordings.set(recording, state)
      }),
    ]
  }

  /** Recordings in progress. */
  get recordingsNow(): number {
    return this.#recordings.size
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }
}

/** Maximum number of combinations of route, method and status. */
const MOST_ROUTES = 500

/** Bounds (s). */
const DURATION = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Counts requests by route, never by address. */
export class HttpTally {
  readonly #requests = new Tally(MOST_ROUTES)
  /** Durations: of each carrier, of the control API, and of all other requests. */
  readonly #areas: ReadonlyMap<string, Histogram>
  readonly #other = new Histogram()

  /** `carriers`: the names of the carriers, whose routes start with them. */
  constructor(carriers: readonly string[]) {
    this.#areas = new Map([...carriers, 'control'].map(area => [area, new Histogram()]))
  }

  /** Counts the requests to routes that are registered on `server` after this call. */
  count(server: FastifyInstance): void {
    server.addHook('onResponse', async (request, reply) => {
      const route = request.routeOptions.url ?? 'none'
      this.#requests.add([routeLabel(route), request.method, `${reply.statusCode}`])
      // The duration of a stream does not measure latency.
      if (!String(reply.getHeader('content-type')).startsWith('text/event-stream'))
        this.#areaOf(route).record(reply.elapsedTime)
    })
  }

  families(): Family[] {
    return [
      labeled(
        'dragoman_http_requests_total',
        'Completed requests, by route.',
        ['route', 'method', 'status'],
        () => this.#requests.all,
      ),
      histogramFamily(
        'dragoman_http_request_seconds',
        'Time from request to end of response, without streams.',
        DURATION,
        () =>
          [...this.#areas, ['other', this.#other] as const].map(([area, all]) => [{ area }, all] as const),
      ),
    ]
  }

  #areaOf(route: string): Histogram {
    const [, first = ''] = route.split('/')
    return this.#areas.get(first === 'v1' ? 'control' : first) ?? this.#other
  }
}

/** All files of pages count as one route. */
function routeLabel(route: string): string {
  return route.startsWith('/files') ? '/files' : route
}
