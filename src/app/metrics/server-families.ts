import type { RecordingStats } from '../../media/recording/disk-recorder.ts'
import type { ServiceFigures } from '../../service/server/process/messages.ts'
import type { TraceCounters } from '../../tracing/tracing.ts'
import type { AudienceStats } from '../../web/dashboard/audience.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/metric-family.ts'
import type { Drain } from '../drain.ts'
import type { SimulatedCallStats } from '../simulated-calls.ts'

const AUDIENCE: FieldTable<AudienceStats> = {
  viewers: ['dragoman_dashboard_viewers', 'Open dashboard pages.'],
  cutOff: [
    'dragoman_dashboard_viewers_cut_off_total',
    'Dashboard pages disconnected because they did not read.',
  ],
  refused: [
    'dragoman_dashboard_viewers_rejected_total',
    'Dashboard pages rejected because too many were open.',
  ],
  skipped: ['dragoman_dashboard_levels_skipped_total', 'Level updates skipped because a page reads slowly.'],
}

const SIMULATED: FieldTable<SimulatedCallStats> = {
  calls: ['dragoman_simulated_calls', 'Simulated calls in progress.'],
  placed: ['dragoman_simulated_calls_placed_total', 'Simulated calls placed from the dashboard.'],
  failed: ['dragoman_simulated_calls_failed_total', 'Simulated calls that could not be placed.'],
}

/** Counters of a dashboard. */
export interface DashboardStats {
  readonly audience: AudienceStats
  readonly simulated: SimulatedCallStats
}

export function dashboardFamilies(dashboard: () => DashboardStats): Family[] {
  return [
    ...fieldFamilies<AudienceStats>(AUDIENCE, [], () => [[[], dashboard().audience]]),
    ...fieldFamilies<SimulatedCallStats>(SIMULATED, [], () => [[[], dashboard().simulated]]),
  ]
}

const SERVICE: FieldTable<ServiceFigures> = {
  sessions: ['dragoman_service_sessions', 'Open sessions at the embedded service.'],
  maxSessions: ['dragoman_service_sessions_limit', 'Maximum number of sessions.'],
  behindMs: ['dragoman_service_lag_seconds', 'Recognition lag of the embedded service.', 0.001],
  busy: ['dragoman_service_busy_ratio', 'Share of its threads that are busy.'],
  memoryBytes: ['dragoman_service_memory_bytes', 'Memory of the embedded service’s process.'],
  cpuSeconds: ['dragoman_service_cpu_seconds_total', 'CPU time of the embedded service’s process.'],
}

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
}

/** Metrics of this server’s readiness and of its embedded service. */
export function ownFamilies({ drain, embedded, notReady }: OwnSources): Family[] {
  return [
    single('dragoman_ready', '1 while the server accepts new calls.', () =>
      notReady() === undefined ? 1 : 0,
    ),
    single('dragoman_draining', '1 while the server is draining and rejects new calls.', () =>
      drain.draining ? 1 : 0,
    ),
    single('dragoman_drain_rejected_total', 'Calls rejected since draining started.', () => drain.turnedAway),
    single('dragoman_service_up', '1 while the embedded service listens and answers.', () => {
      const service = embedded()
      return service && (service.running ? 1 : 0)
    }),
    single(
      'dragoman_service_restarts_total',
      'Restarts of the embedded service.',
      () => embedded()?.restarts,
    ),
    labelled(
      'dragoman_service_errors_total',
      'Errors sent to clients of the embedded service, by name.',
      ['error'],
      () =>
        Object.entries(embedded()?.figures?.errors ?? {}).map(([error, count]) => [[error], count] as const),
    ),
    ...fieldFamilies<ServiceFigures>(SERVICE, [], () => {
      const figures = embedded()?.figures
      return figures ? [[[], figures]] : []
    }),
  ]
}

const RECORDINGS: FieldTable<RecordingStats> = {
  begun: ['dragoman_recordings_started_total', 'Recordings started.'],
  kept: ['dragoman_recordings_kept_total', 'Finished recordings with content.'],
  keptMs: ['dragoman_recordings_kept_seconds_total', 'Duration of conversations recorded.', MS],
  refused: ['dragoman_recordings_rejected_total', 'Recordings that could not be started.'],
  leftOut: [
    'dragoman_recording_participants_left_out_total',
    'Participants left out of a recording because they could not be notified of it.',
  ],
  lostMs: ['dragoman_recording_lost_seconds_total', 'Audio lost because the disk was too slow.', MS],
  tracksFailed: [
    'dragoman_recording_tracks_failed_total',
    'Tracks of recordings that ended early because of a disk error.',
  ],
}

export function recordingFamilies(stats: RecordingStats): Family[] {
  return fieldFamilies<RecordingStats>(RECORDINGS, [], () => [[[], stats]])
}

const TRACES: FieldTable<TraceCounters> = {
  utterances: [
    'dragoman_traced_utterances_total',
    'Finished utterances while tracing is on, sampled or not.',
  ],
  exported: ['dragoman_trace_spans_exported_total', 'Spans accepted by the collector.'],
  failed: [
    'dragoman_trace_spans_failed_total',
    'Spans that the collector rejected or did not accept in time.',
  ],
}

/** Metrics of tracing; without values if tracing is off. */
export function traceFamilies(counters: TraceCounters | undefined): Family[] {
  return fieldFamilies<TraceCounters>(TRACES, [], () => (counters ? [[[], counters]] : []))
}
