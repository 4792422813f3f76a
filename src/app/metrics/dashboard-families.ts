import type { AudienceStats } from '../../web/dashboard/audience.ts'
import { type Family, type FieldTable, fieldFamilies } from '../../web/metrics/family.ts'
import type { SimulatedCallStats } from '../simulated-calls.ts'

const AUDIENCE: FieldTable<AudienceStats> = {
  viewers: ['dragoman_dashboard_viewers', 'Pages of the dashboard that are open.'],
  cutOff: ['dragoman_dashboard_viewers_cut_off_total', 'Pages of it cut off since they did not read.'],
  refused: ['dragoman_dashboard_viewers_refused_total', 'Pages of it turned away since there were too many.'],
  skipped: [
    'dragoman_dashboard_levels_skipped_total',
    'Times that a page was not told levels since it reads slowly.',
  ],
}

const SIMULATED: FieldTable<SimulatedCallStats> = {
  calls: ['dragoman_simulated_calls', 'Simulated calls of the dashboard now.'],
  placed: ['dragoman_simulated_calls_placed_total', 'Simulated calls placed on the dashboard.'],
  failed: ['dragoman_simulated_calls_failed_total', 'Simulated calls that did not come about.'],
}

/** What a dashboard counts. */
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
