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

/** 0 when nothing was seen that does not hold. */
export function rowsExitCode(rows: readonly Row[]): 0 | 1 {
  return rows.some(({ status }) => status === 'does not hold') ? 1 : 0
}
