import { readdirSync } from 'node:fs'
import type { RequestGuardCounters } from '../../net/request-guard.ts'
import type { CaptionDeskStats } from '../captions/caption-hub.ts'
import type { TranscriptStats } from '../transcripts/transcripts.ts'
import type { ReceiverStats } from '../webhooks/receiver.ts'
import {
  type Family,
  type FieldSpec,
  type FieldTable,
  fieldFamilies,
  labelled,
  single,
} from './metric-family.ts'

const WEBHOOKS: FieldTable<ReceiverStats> = {
  waiting: ['dragoman_webhooks_waiting', 'Events queued for a receiver, or being sent to it.'],
  delivered: ['dragoman_webhooks_delivered_total', 'Events delivered to receivers.'],
  failures: ['dragoman_webhooks_failed_attempts_total', 'Failed delivery attempts.'],
  givenUp: ['dragoman_webhooks_given_up_total', 'Events dropped after the last attempt.'],
  dropped: ['dragoman_webhooks_dropped_total', 'Events dropped because the queue was full.'],
}

const CAPTIONS: FieldTable<CaptionDeskStats> = {
  readers: ['dragoman_caption_readers', 'Connected caption readers.'],
  cutOff: [
    'dragoman_caption_readers_cut_off_total',
    'Caption readers disconnected because they did not read.',
  ],
  refused: [
    'dragoman_caption_readers_rejected_total',
    'Caption readers rejected because there were too many.',
  ],
}

const TRANSCRIPTS: FieldTable<TranscriptStats> = {
  live: ['dragoman_transcripts_live', 'Transcripts of open rooms.'],
  kept: ['dragoman_transcripts_kept', 'Stored transcripts of ended rooms.'],
  failed: ['dragoman_transcripts_failed_total', 'Transcripts that could not be written.'],
  evicted: ['dragoman_transcripts_evicted_total', 'Transcripts deleted early because there were too many.'],
}

export interface FloorSources {
  readonly webhooks: { readonly stats: readonly ReceiverStats[] }
  readonly desk: { readonly stats: CaptionDeskStats }
  readonly transcripts: { readonly stats: TranscriptStats }
}

/** Metrics of webhooks, caption readers and transcripts. */
export function controlMetrics({ webhooks, desk, transcripts }: FloorSources): Family[] {
  return [
    ...fieldFamilies<ReceiverStats>(WEBHOOKS, ['receiver'], () =>
      webhooks.stats.map(each => [[each.name], each] as const),
    ),
    ...fieldFamilies<CaptionDeskStats>(CAPTIONS, [], () => [[[], desk.stats]]),
    ...fieldFamilies<TranscriptStats>(TRANSCRIPTS, [], () => [[[], transcripts.stats]]),
  ]
}

/** `scope`: the limit per address, the request rate of one address, or the limit of all together. */
function rejected(what: 'connection' | 'request', scope: 'address' | 'rate' | 'total'): FieldSpec {
  return [
    'dragoman_http_rejected_total',
    'Connections closed and requests answered with 429 or 503, by the limit per address, the request rate of an address, or the total limit.',
    1,
    { what, scope },
  ]
}

const REQUEST_GUARD: FieldTable<RequestGuardCounters> = {
  connections: ['dragoman_http_connections', 'Open connections.'],
  strangers: ['dragoman_http_unauthenticated_connections', 'Open unauthenticated connections.'],
  guests: ['dragoman_http_link_connections', 'Open connections of clients authenticated by a link.'],
  displaced: [
    'dragoman_http_displaced_total',
    'Unauthenticated and link connections closed to make room for others.',
  ],
  refusedInAll: rejected('connection', 'total'),
  refusedByAddress: rejected('connection', 'address'),
  refusedByRate: rejected('connection', 'rate'),
  requestsRefusedByAddress: rejected('request', 'address'),
  requestsRefusedInAll: rejected('request', 'total'),
  unreadable: [
    'dragoman_http_malformed_total',
    'Malformed requests, and requests whose headers or body did not arrive in time.',
  ],
}

/** Figures of `Overload`. */
export interface OverloadFigures {
  readonly closings: number
  readonly turnedAway: number
  readonly lateMs: number
  readonly memoryShare: number
  readonly strain: string | undefined
}

const OVERLOAD: FieldTable<OverloadFigures> = {
  closings: ['dragoman_overload_periods_total', 'Overload periods, during which new calls were rejected.'],
  turnedAway: ['dragoman_overload_rejected_total', 'Calls and sessions rejected during overload.'],
  lateMs: ['dragoman_event_loop_lag_seconds', 'Timer delay: the median of recent measurements.', 0.001],
  memoryShare: ['dragoman_overload_memory_ratio', 'Share of the available memory in use.'],
}

/** A server with a request guard: `bridge`, or `service` for the embedded one. */
export interface Guarded {
  readonly server: 'bridge' | 'service'
  readonly door: Readonly<RequestGuardCounters>
  readonly overload: OverloadFigures
}

/** Metrics of rejected connections and requests, and of overload. */
export function guardFamilies(servers: () => readonly Guarded[]): Family[] {
  return [
    ...fieldFamilies<RequestGuardCounters>(REQUEST_GUARD, ['server'], () =>
      servers().map(({ server, door }) => [[server], door] as const),
    ),
    ...fieldFamilies<OverloadFigures>(OVERLOAD, ['server'], () =>
      servers().map(({ server, overload }) => [[server], overload] as const),
    ),
    labelled(
      'dragoman_overloaded',
      '1 while new calls are rejected because timers run late or memory is short.',
      ['server'],
      () =>
        servers().map(({ server, overload }) => [[server], overload.strain === undefined ? 0 : 1] as const),
    ),
  ]
}

/** Metrics of this process, under their usual names. */
export function processFamilies(version: string): Family[] {
  const startedAt = performance.timeOrigin / 1_000
  return [
    labelled('dragoman_build_info', 'Version of the program.', ['version', 'node'], () => [
      [[version, process.version], 1],
    ]),
    single(
      'process_start_time_seconds',
      'Start time of this process, in seconds since 1970.',
      () => startedAt,
    ),
    labelled('process_cpu_seconds_total', 'CPU time of this process.', ['mode'], () => {
      const { user, system } = process.cpuUsage()
      return [
        [['user'], user / 1e6],
        [['system'], system / 1e6],
      ]
    }),
    single('process_resident_memory_bytes', 'Memory of this process.', () => process.memoryUsage.rss()),
    single('process_open_fds', 'Open file descriptors.', openFiles),
    labelled(
      'nodejs_heap_bytes',
      'Memory of the JavaScript heap, of its array buffers, and outside it.',
      ['kind'],
      () => {
        const { heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
        return [
          [['total'], heapTotal],
          [['used'], heapUsed],
          [['external'], external],
          [['array_buffers'], arrayBuffers],
        ]
      },
    ),
    single(
      'nodejs_active_resources',
      'Sockets, timers and other handles that keep the event loop running.',
      () => process.getActiveResourcesInfo().length,
    ),
    labelled(
      'nodejs_eventloop_seconds_total',
      'Time that the event loop was busy and idle.',
      ['state'],
      () => {
        const { active, idle } = performance.eventLoopUtilization()
        return [
          [['active'], active / 1_000],
          [['idle'], idle / 1_000],
        ]
      },
    ),
  ]
}

/** Returns undefined if the system does not provide it. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
