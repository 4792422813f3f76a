import { table } from '../table.ts'
import type { TalkerRow } from './talkers.ts'

const HEAD = [
  'talkers',
  'room',
  'refused',
  'warned',
  'sentences',
  'p50 ms',
  'p95 ms',
  'max ms',
  'max ms, not warned',
  'CPU % of a core',
  'MB idle',
  'MB',
  'apertium MB',
]

/** The rows as a table in Markdown. */
export function talkerTable(rows: readonly TalkerRow[]): string {
  return table(
    HEAD,
    rows.map(row => [
      row.talkers,
      row.room ?? 'default',
      row.refused,
      row.told,
      row.sentences,
      row.p50Ms,
      row.p95Ms,
      row.maxMs,
      row.maxUntoldMs,
      row.cpu,
      row.idleMb,
      row.busyMb,
      row.pipelinesMb,
    ]),
  )
}
