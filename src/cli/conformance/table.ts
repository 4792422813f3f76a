import type { Row } from './examine.ts'
import type { Status } from './statement.ts'

const SIGN: Readonly<Record<Status, string>> = { holds: '✓', 'does not hold': '✗', 'not shown': '·' }

/** The rows for people, a line each, with the sums below. */
export function renderRows(rows: readonly Row[]): string[] {
  const width = Math.max(0, ...rows.map(({ text }) => text.length))
  const lines = rows.map(
    ({ id, text, status, found }) =>
      `${SIGN[status]} ${id.padEnd(5)}  ${text.padEnd(width)}  ${status.padEnd(13)}  ${found}`,
  )
  const count = (wanted: Status) => rows.filter(({ status }) => status === wanted).length
  const sums = `${count('holds')} hold, ${count('does not hold')} do not hold, ${count('not shown')} not shown`
  return [...lines, '', sums]
}

/** 0 when something was seen, and nothing that does not hold: a service that is away does not pass. */
export function rowsExitCode(rows: readonly Row[]): 0 | 1 {
  const seen = (wanted: Status) => rows.some(({ status }) => status === wanted)
  return seen('does not hold') || !seen('holds') ? 1 : 0
}
