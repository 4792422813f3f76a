/** Rows as a table in Markdown, numbers right-aligned, for terminals and the documentation. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const text = rows.map(row => row.map(cell => (typeof cell === 'number' ? figure(cell) : cell)))
  const width = head.map((name, i) => Math.max(name.length, 3, ...text.map(row => row[i]?.length ?? 0)))
  const right = head.map((_, i) => typeof rows[0]?.[i] === 'number')
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (right[i] ? cell.padStart(width[i]!) : cell.padEnd(width[i]!))).join(' | ')} |`
  const rule = `|${width.map((size, i) => (right[i] ? `${'-'.repeat(size + 1)}:` : '-'.repeat(size + 2))).join('|')}|`
  return [line(head), rule, ...text.map(line)].join('\n')
}

/** Two significant places below ten, one below a hundred, none above. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Number.isInteger(value)) return String(value)
  return Math.abs(value) < 10 ? value.toFixed(2) : Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0)
}
