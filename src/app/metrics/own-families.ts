import type { ServiceFigures } from '../../service/server/process/messages.ts'
import { type Family, type FieldTable, fieldFamilies, labelled, single } from '../../web/metrics/family.ts'
import type { Drain } from '../drain.ts'

const SERVICE: FieldTable<ServiceFigures> = {
  sessions: ['dragoman_service_sessions', 'Open sessions at the embedded service.'],
  maxSessions: ['dragoman_service_sessions_limit', 'Maximum number of sessions.'],
  behindMs: ['dragoman_service_behind_seconds', 'Recognition lag of the embedded service.', 0.001],
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
    single(
      'dragoman_drain_turned_away_total',
      'Calls rejected since draining started.',
      () => drain.turnedAway,
    ),
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
