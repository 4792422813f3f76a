import { made } from '../../../pages/page/element.ts'
import type { UtteranceFigures } from '../protocol.ts'
import { ChartTable } from './chart-table.ts'
import { many, shortly, timeOfDay } from './format.ts'
import { drawn, roundTop } from './svg.ts'

const WIDTH = 560
const HEIGHT = 190
const LEFT = 66
const TOP = 12
const BOTTOM = 8
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
  readonly #chart = drawn('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'chart', role: 'img' })
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
    place.append(this.#chart, legend, this.#table.element)
    this.show([])
  }

  show(utterances: readonly UtteranceFigures[]): void {
    const newest = utterances.at(-1)?.id ?? -1
    if (newest === this.#newest) return
    this.#newest = newest
    const shown = utterances.slice(-BARS)
    const top = roundTop(Math.max(1_000, ...shown.map(({ latencyMs }) => latencyMs)))
    this.#chart.replaceChildren(...axis(top), ...shown.flatMap((each, at) => bar(each, at, top)))
    const last = shown.at(-1)
    this.#chart.setAttribute(
      'aria-label',
      last
        ? `${many(shown.length, 'utterance')}; the latest took ${shortly(last.latencyMs)}. The table has them all.`
        : 'No utterance has been translated yet.',
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
  const step = (WIDTH - LEFT) / BARS
  const scale = (HEIGHT - TOP - BOTTOM) / top
  let y = HEIGHT - BOTTOM
  return [...parts, rest(latencyMs, parts)].flatMap((ms, tone) => {
    if (!ms) return []
    const height = Math.min(ms, top) * scale
    y -= height
    const box = { x: LEFT + at * step + 1, y: y.toFixed(1), width: step - 2, height: height.toFixed(1) }
    return [drawn('rect', { ...box, class: `bar tone-${tone}` })]
  })
}

/** Draws labeled lines at half and full height of the axis. */
export function axis(top: number): SVGElement[] {
  return [0, 0.5, 1].flatMap(share => {
    const y = HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    return [
      drawn('line', { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: 'grid' }),
      drawn(
        'text',
        { x: LEFT - 6, y: y + 5, 'text-anchor': 'end' },
        share === 0 ? '0' : shortly(top * share),
      ),
    ]
  })
}

/** Plot area for curves over the same axis. */
export const PLOT = { x: LEFT, y: TOP, width: WIDTH - LEFT - 2, height: HEIGHT - TOP - BOTTOM } as const
export const VIEW = `0 0 ${WIDTH} ${HEIGHT}`
