import { readdirSync } from 'node:fs'
import { OVERLOAD_METRICS, type OverloadFigures } from '../../net/overload.ts'
import { REQUEST_GUARD_METRICS, type RequestGuardCounters } from '../../net/request-guard.ts'
import { CAPTION_METRICS, type CaptionHubStats } from '../captions/caption-hub.ts'
import { TRANSCRIPT_METRICS, type TranscriptStats } from '../transcripts/transcripts.ts'
import { type ReceiverStats, WEBHOOK_METRICS } from '../webhooks/receiver.ts'
import { type Family, fieldFamilies, labeled, single } from './metric-family.ts'

export interface ControlSources {
  readonly webhooks: { readonly stats: readonly ReceiverStats[] }
  readonly captionHub: { readonly stats: CaptionHubStats }
  readonly transcripts: { readonly stats: TranscriptStats }
}

/** Metrics of webhooks, caption readers and transcripts. */
export function controlMetrics({ webhooks, captionHub, transcripts }: ControlSources): Family[] {
  return [
    ...fieldFamilies<ReceiverStats>(WEBHOOK_METRICS, ['receiver'], () =>
      webhooks.stats.map(each => [[each.name], each] as const),
    ),
    ...fieldFamilies<CaptionHubStats>(CAPTION_METRICS, [], () => [[[], captionHub.stats]]),
    ...fieldFamilies<TranscriptStats>(TRANSCRIPT_METRICS, [], () => [[[], transcripts.stats]]),
  ]
}

/** A server with a request guard: `bridge`, or `service` for the embedded one. */
export interface Guarded {
  readonly server: 'bridge' | 'service'
  readonly requestGuard: Readonly<RequestGuardCounters>
  readonly overload: OverloadFigures
}

/** Metrics of rejected connections and requests, and of overload. */
export function guardFamilies(servers: () => readonly Guarded[]): Family[] {
  return [
    ...fieldFamilies<RequestGuardCounters>(REQUEST_GUARD_METRICS, ['server'], () =>
      servers().map(({ server, requestGuard }) => [[server], requestGuard] as const),
    ),
    ...fieldFamilies<OverloadFigures>(OVERLOAD_METRICS, ['server'], () =>
      servers().map(({ server, overload }) => [[server], overload] as const),
    ),
    labeled(
      'dragoman_overloaded',
      '1 while new calls are rejected because timers run late or memory is short.',
      ['server'],
      () =>
        servers().map(({ server, overload }) => [[server], overload.reason === undefined ? 0 : 1] as const),
    ),
  ]
}

/** Metrics of this process, under their usual names. */
export function processFamilies(version: string): Family[] {
  const startedAt = performance.timeOrigin / 1_000
  return [
    labeled('dragoman_build_info', 'Version of the program.', ['version', 'node'], () => [
      [[version, process.version], 1],
    ]),
    single(
      'process_start_time_seconds',
      'Start time of this process, in seconds since 1970.',
      () => startedAt,
    ),
    labeled('process_cpu_seconds_total', 'CPU time of this process.', ['mode'], () => {
      const { user, system } = process.cpuUsage()
      return [
        [['user'], user / 1e6],
        [['system'], system / 1e6],
      ]
    }),
    single('process_resident_memory_bytes', 'Memory of this process.', () => process.memoryUsage.rss()),
    single('process_open_fds', 'Open file descriptors.', openFiles),
    labeled(
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
    labeled(
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
