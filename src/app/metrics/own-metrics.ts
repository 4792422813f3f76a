import type { Metric } from 'prom-client'
import type { RecordingStats } from '../../recording/disk-recorder.ts'
import type { ServiceFigures } from '../../service/server/process/messages.ts'
import { labeled, single } from '../../web/metrics/metric.ts'
import type { Drain } from '../drain.ts'
import type { TraceCounters } from '../tracing/counters.ts'

/** The process of the embedded service. */
export interface EmbeddedService {
  readonly running: boolean
  readonly restarts: number
  readonly figures: ServiceFigures | undefined
}

export interface OwnSources {
  readonly drain: Drain
  /** Absent: no embedded service. */
  readonly embedded: () => EmbeddedService | undefined
  readonly notReady: () => string | undefined
  readonly recordings: RecordingStats
  /** Absent: tracing is off. */
  readonly traces: TraceCounters | undefined
  readonly dashboard: () => { readonly viewers: number; readonly simulatedCalls: number }
}

/** Metrics of this server’s readiness, dashboard, recordings and traces, and of its embedded service. */
export function ownMetrics(sources: OwnSources): Metric[] {
  const { drain, embedded, notReady, recordings, traces, dashboard } = sources
  return [
    single('dragoman_ready', '1 while the server accepts new calls.', () =>
      notReady() === undefined ? 1 : 0,
    ),
    single('dragoman_draining', '1 while the server is draining and rejects new calls.', () =>
      drain.draining ? 1 : 0,
    ),
    single('dragoman_drain_rejected_total', 'Calls rejected since draining started.', () => drain.rejected),
    ...serviceMetrics(embedded),
    single(
      'dragoman_recordings_rejected_total',
      'Recordings that could not be started.',
      () => recordings.refused,
    ),
    single(
      'dragoman_recording_lost_seconds_total',
      'Audio lost because the disk was too slow.',
      () => recordings.lostMs / 1_000,
    ),
    single(
      'dragoman_recording_tracks_failed_total',
      'Tracks of recordings that ended early because of a disk error.',
      () => recordings.tracksFailed,
    ),
    single(
      'dragoman_trace_spans_failed_total',
      'Spans that the collector rejected or did not accept in time.',
      () => traces?.failed,
    ),
    single('dragoman_dashboard_viewers', 'Open dashboard pages.', () => dashboard().viewers),
    single('dragoman_simulated_calls', 'Simulated calls in progress.', () => dashboard().simulatedCalls),
  ]
}

function serviceMetrics(embedded: OwnSources['embedded']): Metric[] {
  const figure = (name: string, help: string, read: (figures: ServiceFigures) => number) =>
    single(name, help, () => {
      const figures = embedded()?.figures
      return figures && read(figures)
    })
  return [
    single('dragoman_service_up', '1 while the embedded service listens and answers.', () => {
      const service = embedded()
      return service && (service.running ? 1 : 0)
    }),
    single(
      'dragoman_service_restarts_total',
      'Restarts of the embedded service.',
      () => embedded()?.restarts,
    ),
    labeled(
      'dragoman_service_errors_total',
      'Errors sent to clients of the embedded service, by name.',
      ['error'],
      () =>
        Object.entries(embedded()?.figures?.errors ?? {}).map(([error, count]) => [[error], count] as const),
    ),
    figure('dragoman_service_sessions', 'Open sessions at the embedded service.', ({ sessions }) => sessions),
    figure(
      'dragoman_service_sessions_limit',
      'Maximum number of sessions.',
      ({ maxSessions }) => maxSessions,
    ),
    figure(
      'dragoman_service_lag_seconds',
      'Recognition lag of the embedded service.',
      ({ behindMs }) => behindMs / 1_000,
    ),
    figure(
      'dragoman_service_changed_words_total',
      'Words that the recognizer changed after they had been translated.',
      ({ interpretation }) => interpretation.changedWords,
    ),
    figure(
      'dragoman_service_lost_figures_total',
      'Clauses whose translation lost a number, amount, date or time.',
      ({ interpretation }) => interpretation.lostFigures,
    ),
    figure(
      'dragoman_service_doubtful_clauses_total',
      'Clauses that were shown but not spoken, because most of their words were doubtful.',
      ({ interpretation }) => interpretation.doubtfulClauses,
    ),
    figure('dragoman_service_busy_ratio', 'Share of its threads that are busy.', ({ busy }) => busy),
    figure(
      'dragoman_service_memory_bytes',
      'Memory of the embedded service’s process.',
      ({ memoryBytes }) => memoryBytes,
    ),
    figure(
      'dragoman_service_cpu_seconds_total',
      'CPU time of the embedded service’s process.',
      ({ cpuSeconds }) => cpuSeconds,
    ),
  ]
}
