import { made } from '../../../pages/page/dom.ts'
import type { Quantiles, UtteranceFigures } from '../protocol.ts'
import { many, say, shortly, timeOfDay } from './format.ts'
import { curvePath, drawn, roundTop } from './svg.ts'

/** The data of a chart as a collapsible table. */
class ChartTable {
  readonly element = made('details')
  readonly #head: readonly string[]
  readonly #body = made('tbody')
  #rows: readonly (readonly string[])[] = []

  constructor(caption: string, head: readonly string[]) {
    this.#head = head
    const table = made('table')
    const row = made('tr')
    for (const name of head) {
      const cell = made('th', name)
      cell.scope = 'col'
      row.append(cell)
    }
    const top = made('thead')
    top.append(row)
    table.append(made('caption', caption, 'aloud'), top, this.#body)
    const scroll = made('div', '', 'scroll')
    scroll.tabIndex = 0
    scroll.setAttribute('role', 'group')
    scroll.setAttribute('aria-label', caption)
    scroll.append(table)
    this.element.append(made('summary', 'Show as table'), scroll)
    this.element.addEventListener('toggle', () => this.#fill())
  }

  /** Newest first. */
  show(rows: readonly (readonly string[])[]): void {
    this.#rows = rows
    this.#fill()
  }

  /** The table is only filled while it is open. */
  #fill(): void {
    if (!this.element.open) return
    this.#body.replaceChildren(
      ...this.#rows.map(cells => {
        const row = made('tr')
        row.append(...this.#head.map((_, at) => made(at === 0 ? 'th' : 'td', cells[at] ?? '')))
        row.querySelector('th')?.setAttribute('scope', 'row')
        return row
      }),
    )
  }
}

/** Units of the drawing, which is stretched to its place; the labels of its axis are HTML and keep their size. */
const WIDTH = 560
const HEIGHT = 190
const TOP = 2
const BOTTOM = 2
/** Maximum number of bars. */
const BARS = 40

const STAGES = [
  { key: 'recognitionMs', name: 'Recognition' },
  { key: 'translationMs', name: 'Translation' },
  { key: 'synthesisMs', name: 'Synthesis' },
  { key: 'networkMs', name: 'Network' },
  { key: 'bridgeMs', name: 'Bridge' },
] as const
/** Share of the latency that cannot be attributed to a stage. */
const REST = 'Unattributed'

/** A bar for each utterance, whose length is the latency, in the colors of its stages. */
export class StageChart {
  readonly #plot = new Plot('No translations yet. Each utterance adds a bar.')
  readonly #table = new ChartTable('Latency of the latest utterances', [
    'At',
    'Listener',
    'Total',
    ...STAGES.map(({ name }) => name),
    REST,
  ])
  #newest = 0

  constructor(place: HTMLElement) {
    const legend = made('ul', '', 'legend')
    const names = [...STAGES.map(({ name }) => name), REST]
    legend.append(...names.map((name, at) => made('li', name, `tone-${at}`)))
    place.append(this.#plot.element, legend, this.#table.element)
    this.show([])
  }

  show(utterances: readonly UtteranceFigures[]): void {
    const newest = utterances.at(-1)?.id ?? -1
    if (newest === this.#newest) return
    this.#newest = newest
    const shown = utterances.slice(-BARS)
    const top = roundTop(Math.max(1_000, ...shown.map(({ latencyMs }) => latencyMs)))
    const last = shown.at(-1)
    const about =
      last &&
      `${many(shown.length, 'utterance')}; the latest took ${shortly(last.latencyMs)}. The table has them all.`
    this.#plot.draw(
      top,
      about,
      shown.flatMap((each, at) => bar(each, at, top)),
    )
    this.#table.show(shown.toReversed().map(row))
  }
}

function row({ at, listener, latencyMs, stages }: UtteranceFigures): string[] {
  const parts = STAGES.map(({ key }) => stages?.[key])
  return [
    timeOfDay(at),
    listener,
    shortly(latencyMs),
    ...parts.map(ms => (ms === undefined ? '–' : shortly(ms))),
    shortly(rest(latencyMs, parts)),
  ]
}

function rest(latencyMs: number, parts: readonly (number | undefined)[]): number {
  return Math.max(0, latencyMs - parts.reduce((sum: number, ms) => sum + (ms ?? 0), 0))
}

function bar({ latencyMs, stages }: UtteranceFigures, at: number, top: number): SVGElement[] {
  const parts = STAGES.map(({ key }) => stages?.[key])
  const step = WIDTH / BARS
  const scale = (HEIGHT - TOP - BOTTOM) / top
  let y = HEIGHT - BOTTOM
  return [...parts, rest(latencyMs, parts)].flatMap((ms, tone) => {
    if (!ms) return []
    const height = Math.min(ms, top) * scale
    y -= height
    const box = { x: at * step + 1, y: y.toFixed(1), width: step - 2, height: height.toFixed(1) }
    return [drawn('rect', { ...box, class: `bar tone-${tone}` })]
  })
}

/** A drawing with lines at half and full height of its axis, which labels them. */
class Plot {
  readonly element = made('div', '', 'plot')
  readonly #svg = drawn('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'chart',
    role: 'img',
    preserveAspectRatio: 'none',
  })
  readonly #labels = [made('li'), made('li'), made('li', '0')]
  readonly #empty = made('p', '', 'faint')

  constructor(empty: string) {
    say(this.#empty, empty)
    const axis = made('ol', '', 'axis', 'figure')
    axis.setAttribute('aria-hidden', 'true')
    axis.append(...this.#labels)
    this.element.append(axis, this.#svg, this.#empty)
  }

  /** `about`: the drawing in words; undefined: there is nothing to draw. */
  draw(top: number, about: string | undefined, shapes: readonly SVGElement[]): void {
    say(this.#labels[0]!, shortly(top))
    say(this.#labels[1]!, shortly(top / 2))
    this.#empty.hidden = about !== undefined
    this.#svg.setAttribute('aria-label', about ?? 'No utterance has been translated yet.')
    const lines = (about === undefined ? [0, 1] : [0, 0.5, 1]).map(share => {
      const y = HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
      return drawn('line', {
        x1: 0,
        x2: WIDTH,
        y1: y,
        y2: y,
        class: 'grid',
        'vector-effect': 'non-scaling-stroke',
      })
    })
    this.#svg.replaceChildren(...lines, ...shapes)
  }
}

/** Area for curves over the same axis. */
const AREA = { x: 0, y: TOP, width: WIDTH, height: HEIGHT - TOP - BOTTOM } as const

const CURVES = [
  { key: 'p50', name: '50 % are faster' },
  { key: 'p90', name: '90 % are faster' },
  { key: 'p99', name: '99 % are faster' },
] as const

/** Minimum number of points on the axis: three minutes. */
const LEAST_PLACES = 18

/** Distribution of latencies over the last quarter of an hour. */
export class QuantileChart {
  readonly #plot = new Plot('Appears a minute after the first translation.')
  readonly #table = new ChartTable('Latencies over time', [
    'At',
    'Utterances',
    ...CURVES.map(({ name }) => name),
  ])
  #newest = 0

  constructor(place: HTMLElement) {
    const legend = made('ul', '', 'legend')
    legend.append(...CURVES.map(({ key, name }, at) => made('li', `${key}: ${name}`, `tone-${at}`)))
    place.append(this.#plot.element, legend, this.#table.element)
    this.show([])
  }

  show(quantiles: readonly Quantiles[]): void {
    const newest = quantiles.at(-1)?.at ?? -1
    if (newest === this.#newest) return
    this.#newest = newest
    const top = roundTop(Math.max(1_000, ...quantiles.map(({ p99 }) => p99 ?? 0)))
    const last = quantiles.findLast(({ count }) => count > 0)
    this.#plot.draw(
      top,
      last && words(last),
      CURVES.map(({ key }, at) => {
        const values = quantiles.map(each => each[key])
        const d = curvePath(values, AREA, top, Math.max(LEAST_PLACES, values.length))
        return drawn('path', {
          ...{ d, class: `line tone-${at}`, fill: 'none', 'stroke-linecap': 'round' },
          'vector-effect': 'non-scaling-stroke',
        })
      }),
    )
    this.#table.show(
      quantiles.toReversed().map(each => [
        timeOfDay(each.at),
        String(each.count),
        ...CURVES.map(({ key }) => {
          const ms = each[key]
          return ms === null ? '–' : shortly(ms)
        }),
      ]),
    )
  }
}

function words({ count, p50, p90, p99 }: Quantiles): string {
  const [half, most, nearly] = [p50, p90, p99].map(ms => shortly(ms ?? 0))
  return `Of ${count} utterances in a minute, 50 % took less than ${half}, 90 % less than ${most}, 99 % less than ${nearly}.`
}
