import type { ServiceFigures } from '../../service/server/process-messages.ts'
import { type Family, type FieldTable, fieldFamilies, labelled, single } from '../../web/metrics/family.ts'
import type { Drain } from '../drain.ts'

const SERVICE: FieldTable<ServiceFigures> = {
  sessions: ['dragoman_service_sessions', 'Sessions at the embedded service now.'],
  maxSessions: ['dragoman_service_sessions_limit', 'Sessions that it has room for.'],
  behindMs: [
    'dragoman_service_behind_seconds',
    'How late the embedded service understands what it hears.',
    0.001,
  ],
  busy: ['dragoman_service_busy_ratio', 'Share of its threads that are busy.'],
  memoryBytes: ['dragoman_service_memory_bytes', 'Memory of the process of the embedded service.'],
  cpuSeconds: [
    'dragoman_service_cpu_seconds_total',
    'Processor time of the process of the embedded service.',
  ],
}

/** The process of the embedded service. */
export interface EmbeddedService {
  readonly running: boolean
  readonly restarts: number
  readonly figures: ServiceFigures | undefined
}

export interface OwnSources {
  readonly drain: Drain
  /** Absent: there is none. */
  readonly embedded: () => EmbeddedService | undefined
  readonly notReady: () => string | undefined
}

/** Whether this server takes calls, and its embedded service. */
export function ownFamilies({ drain, embedded, notReady }: OwnSources): Family[] {
  return [
    single('dragoman_ready', '1 while new calls may be sent here.', () => (notReady() === undefined ? 1 : 0)),
    single('dragoman_draining', '1 while this server is ending and lets nobody in.', () =>
      drain.draining ? 1 : 0,
    ),
    single('dragoman_drain_turned_away_total', 'Calls turned away since then.', () => drain.turnedAway),
    single('dragoman_service_up', '1 while the embedded service listens and answers.', () => {
      const service = embedded()
      return service && (service.running ? 1 : 0)
    }),
    single(
      'dragoman_service_restarts_total',
      'Times that the embedded service was started again.',
      () => embedded()?.restarts,
    ),
    labelled(
      'dragoman_service_errors_total',
      'Errors that clients of the embedded service were told, by name.',
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
