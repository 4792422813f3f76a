import { RECORDING_METRICS, type RecordingStats } from '../../media/recording/disk-recorder.ts'
import { SERVICE_METRICS, type ServiceFigures } from '../../service/server/process/messages.ts'
import { TRACE_METRICS, type TraceCounters } from '../../tracing/counters.ts'
import { VIEWER_METRICS, type ViewerStats } from '../../web/dashboard/viewers.ts'
import { type Family, fieldFamilies, labeled, single } from '../../web/metrics/metric-family.ts'
import type { Drain } from '../drain.ts'
import { SIMULATED_CALL_METRICS, type SimulatedCallStats } from '../simulated-calls.ts'

/** Counters of a dashboard. */
export interface DashboardStats {
  readonly viewers: ViewerStats
  readonly simulated: SimulatedCallStats
}

export function dashboardFamilies(dashboard: () => DashboardStats): Family[] {
  return [
    ...fieldFamilies<ViewerStats>(VIEWER_METRICS, [], () => [[[], dashboard().viewers]]),
    ...fieldFamilies<SimulatedCallStats>(SIMULATED_CALL_METRICS, [], () => [[[], dashboard().simulated]]),
  ]
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
    single('dragoman_drain_rejected_total', 'Calls rejected since draining started.', () => drain.rejected),
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
    ...fieldFamilies<ServiceFigures>(SERVICE_METRICS, [], () => {
      const figures = embedded()?.figures
      return figures ? [[[], figures]] : []
    }),
  ]
}

export function recordingFamilies(stats: RecordingStats): Family[] {
  return fieldFamilies<RecordingStats>(RECORDING_METRICS, [], () => [[[], stats]])
}

/** Metrics of tracing; without values if tracing is off. */
export function traceFamilies(counters: TraceCounters | undefined): Family[] {
  return fieldFamilies<TraceCounters>(TRACE_METRICS, [], () => (counters ? [[[], counters]] : []))
}
