import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { OverloadFigures } from '../../net/overload.ts'
import type { RequestGuardCounters } from '../../net/request-guard.ts'
import type { ReceiverStats } from '../webhooks/receiver.ts'
import { labeled, single } from './metric.ts'

export interface ControlSources {
  readonly webhooks: { readonly stats: readonly ReceiverStats[] }
  readonly captionHub: { readonly readers: number }
  readonly transcripts: { readonly failed: number }
}

/** Metrics of webhooks, caption readers and transcripts. */
export function controlMetrics({ webhooks, captionHub, transcripts }: ControlSources): Metric[] {
  const perReceiver = (name: string, help: string, read: (stats: ReceiverStats) => number) =>
    labeled(name, help, ['receiver'], () => webhooks.stats.map(each => [[each.name], read(each)] as const))
  return [
    perReceiver(
      'dragoman_webhooks_waiting',
      'Events queued for a receiver, or being sent to it.',
      ({ waiting }) => waiting,
    ),
    perReceiver(
      'dragoman_webhooks_delivered_total',
      'Events delivered to receivers.',
      ({ delivered }) => delivered,
    ),
    perReceiver(
      'dragoman_webhooks_failed_attempts_total',
      'Failed delivery attempts.',
      ({ failures }) => failures,
    ),
    perReceiver(
      'dragoman_webhooks_given_up_total',
      'Events dropped after the last attempt.',
      ({ givenUp }) => givenUp,
    ),
    perReceiver(
      'dragoman_webhooks_dropped_total',
      'Events dropped because the queue was full.',
      ({ dropped }) => dropped,
    ),
    single('dragoman_caption_readers', 'Connected caption readers.', () => captionHub.readers),
    single(
      'dragoman_transcripts_failed_total',
      'Transcripts that could not be written.',
      () => transcripts.failed,
    ),
  ]
}

/** A server with a request guard: `bridge`, or `service` for the embedded one. */
export interface Guarded {
  readonly server: 'bridge' | 'service'
  readonly requestGuard: Readonly<RequestGuardCounters>
  readonly overload: OverloadFigures
}

/** Metrics of rejected connections and requests, and of overload. */
export function guardMetrics(servers: () => readonly Guarded[]): Metric[] {
  const perServer = (name: string, help: string, read: (server: Guarded) => number) =>
    labeled(name, help, ['server'], () => servers().map(each => [[each.server], read(each)] as const))
  return [
    perServer(
      'dragoman_http_connections',
      'Open connections.',
      ({ requestGuard }) => requestGuard.connections,
    ),
    perServer(
      'dragoman_http_unauthenticated_connections',
      'Open unauthenticated connections.',
      ({ requestGuard }) => requestGuard.unauthenticated,
    ),
    labeled(
      'dragoman_http_rejected_total',
      'Connections closed and requests answered with 429 or 503, by the limit per address or the total limit.',
      ['server', 'what', 'scope'],
      () =>
        servers().flatMap(({ server, requestGuard: counts }) => [
          [[server, 'connection', 'total'], counts.rejectedInTotal],
          [[server, 'request', 'address'], counts.requestsRejectedByAddress],
          [[server, 'request', 'total'], counts.requestsRejectedInTotal],
        ]),
    ),
    perServer(
      'dragoman_event_loop_lag_seconds',
      'Timer delay: the median of recent measurements.',
      ({ overload }) => overload.lateMs / 1_000,
    ),
    perServer(
      'dragoman_overload_memory_ratio',
      'Share of the available memory in use.',
      ({ overload }) => overload.memoryShare,
    ),
    perServer(
      'dragoman_overload_rejected_total',
      'Calls and sessions rejected during overload.',
      ({ overload }) => overload.rejected,
    ),
    perServer(
      'dragoman_overloaded',
      '1 while new calls are rejected because timers run late or memory is short.',
      ({ overload }) => (overload.reason === undefined ? 0 : 1),
    ),
  ]
}

/** Metrics of this process: the library’s, under their usual names, and the load of the event loop. */
export function processMetrics(version: string): Metric[] {
  return [
    labeled('dragoman_build_info', 'Version of the program.', ['version', 'node'], () => [
      [[version, process.version], 1],
    ]),
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
    ...defaultMetrics(),
  ]
}

let defaults: Registry | undefined

/** They observe the process as long as it runs, so all servers in it share them; not with a host’s own. */
function defaultMetrics(): Metric[] {
  if (!defaults) {
    defaults = new Registry()
    collectDefaultMetrics({ register: defaults })
  }
  return defaults.getMetricsAsArray() as unknown as Metric[]
}
