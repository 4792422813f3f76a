import type { Family } from '../src/web/metrics/metric-family.ts'

/** The table of all metrics in docs/operations/metrics.md. */
export function metricsTable(families: readonly Family[]): string {
  const rows = families
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map(each => `\`${each}\``).join(', ')} | ${help} |`,
    )
  return ['| metric | type | labels | |', '|---|---|---|---|', ...rows].join('\n')
}
