import type { AudienceStats } from '../../web/dashboard/audience.ts'
import { type Family, type FieldTable, fieldFamilies } from '../../web/metrics/family.ts'
import type { SimulatedCallStats } from '../simulated-calls.ts'

const AUDIENCE: FieldTable<AudienceStats> = {
  viewers: ['dragoman_dashboard_viewers', 'Open dashboard pages.'],
  cutOff: [
    'dragoman_dashboard_viewers_cut_off_total',
    'Dashboard pages disconnected because they did not read.',
  ],
  refused: [
    'dragoman_dashboard_viewers_refused_total',
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
