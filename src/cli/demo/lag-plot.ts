/** Lag of a translation at one moment. */
export interface LagPoint {
  readonly atMs: number
  readonly lagMs: number
}

/** One curve of the plot. */
export interface LagSeries {
  readonly name: string
  /** In chronological order. */
  readonly points: readonly LagPoint[]
}

const TITLE = 'Lag of translations'
const WIDTH = 960
const HEIGHT = 400
/** Margins around the curves, for the title, the legend, the axis numbers and labels. */
const PLOT = { left: 64, right: 24, top: 64, bottom: 56 }
const INNER_WIDTH = WIDTH - PLOT.left - PLOT.right
const INNER_HEIGHT = HEIGHT - PLOT.top - PLOT.bottom
/** Distinguishable with color blindness, and in gray by their dashes. */
const INKS = [
  { color: '#0060a8', dash: '' },
  { color: '#c44601', dash: '7 3' },
  { color: '#3a7d34', dash: '2 3' },
  { color: '#7a3b93', dash: '10 3 2 3' },
] as const
/** A longer stretch without a point means that there was nothing to be late (ms). */
const GAP_MS = 2_500
/** Minimum upper end of the vertical axis (ms). */
const LEAST_TOP_MS = 4_000

/** Returns the lag over time as an SVG document. */
export function lagPlot(series: readonly LagSeries[]): string {
  const all = series.flatMap(({ points }) => points)
  const lastMs = Math.max(1_000, ...all.map(({ atMs }) => atMs))
  const topMs = Math.max(LEAST_TOP_MS, ...all.map(({ lagMs }) => lagMs))
  const across = ticks(lastMs / 1_000, 10)
  // Extends the axis to a round number that is only slightly higher.
  const endMs = across.at(-1)! * 1_000 < lastMs * 1.02 ? across.at(-1)! * 1_000 : lastMs
  const upward = ticks(topMs / 1_000, 6)
  const top = upward.at(-1)! * 1_000
  const x = (ms: number) => round(PLOT.left + (ms / endMs) * INNER_WIDTH)
  const y = (ms: number) => round(PLOT.top + INNER_HEIGHT - (Math.min(ms, top) / top) * INNER_HEIGHT)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="sans-serif" font-size="13" fill="#222">`,
    `<title>${TITLE}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${PLOT.left}" y="24" font-size="16" font-weight="bold">${TITLE}</text>`,
    ...upward.map(seconds => gridline(y(seconds * 1_000), String(seconds))),
    ...across
      .filter(value => value * 1_000 <= endMs)
      .map(value => text(x(value * 1_000), HEIGHT - PLOT.bottom + 20, String(value), 'middle')),
    text(PLOT.left + INNER_WIDTH / 2, HEIGHT - 12, 'time, seconds', 'middle'),
    `<text transform="translate(18 ${PLOT.top + INNER_HEIGHT / 2}) rotate(-90)" text-anchor="middle">lag, seconds</text>`,
    ...series.map(({ points }, n) => curve(points, n, x, y)),
    ...series.map(({ name }, n) => legend(name, n)),
    '</svg>',
    '',
  ].join('\n')
}

function gridline(y: number, label: string): string {
  const line = `<line x1="${PLOT.left}" y1="${y}" x2="${WIDTH - PLOT.right}" y2="${y}" stroke="${label === '0' ? '#222' : '#ddd'}"/>`
  return `${line}${text(PLOT.left - 8, y + 4, label, 'end')}`
}

function curve(
  points: readonly LagPoint[],
  index: number,
  x: (ms: number) => number,
  y: (ms: number) => number,
): string {
  const { color, dash } = inkOf(index)
  const places = withGaps(points).map(({ atMs, lagMs }) => `${x(atMs)},${y(Math.max(0, lagMs))}`)
  return `<polyline fill="none" stroke="${color}" stroke-width="1.5" stroke-linejoin="round"${dash ? ` stroke-dasharray="${dash}"` : ''} points="${places.join(' ')}"/>`
}

function legend(name: string, index: number): string {
  const { color, dash } = inkOf(index)
  const x = PLOT.left + index * 220
  const line = `<line x1="${x}" y1="44" x2="${x + 28}" y2="44" stroke="${color}" stroke-width="2"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`
  return `${line}${text(x + 36, 48, name, 'start')}`
}

/** Returns to 0 where no lag was reported for a while. */
function withGaps(points: readonly LagPoint[]): LagPoint[] {
  return points.flatMap((point, n) => {
    const before = points[n - 1]
    if (!before || point.atMs - before.atMs <= GAP_MS) return [point]
    return [{ atMs: before.atMs + 1_000, lagMs: 0 }, { atMs: point.atMs - 1_000, lagMs: 0 }, point]
  })
}

/** Round numbers from 0 up to `most` or slightly above, with at most `count` steps. */
function ticks(most: number, count: number): number[] {
  const rough = most / count
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = size * ([1, 2, 5, 10].find(each => each * size >= rough) ?? 10)
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, n) =>
    Number((n * step).toPrecision(6)),
  )
}

function inkOf(index: number): (typeof INKS)[number] {
  return INKS[index % INKS.length]!
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`
}

function escaped(content: string): string {
  return content
    .replace(/[^\x20-\uD7FF\uE000-\uFFFD]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
