import { made } from '../../../pages/page/element.ts'
import type { Quantiles } from '../protocol.ts'
import { ChartTable } from './chart-table.ts'
import { shortly, timeOfDay } from './format.ts'
import { axis, PLOT, VIEW } from './stage-chart.ts'
import { curvePath, drawn, roundTop } from './svg.ts'

const CURVES = [
  { key: 'p50', name: '50 % are faster' },
  { key: 'p90', name: '90 % are faster' },
  { key: 'p99', name: '99 % are faster' },
] as const

/** Minimum number of points on the axis: three minutes. */
const LEAST_PLACES = 18

/** Distribution of latencies over the last quarter of an hour. */
export class QuantileChart {
  readonly #chart = drawn('svg', { viewBox: VIEW, class: 'chart', role: 'img' })
  readonly #table = new ChartTable('Latencies over time', [
    'At',
    'Utterances',
    ...CURVES.map(({ name }) => name),
  ])
  #newest = 0

  constructor(place: HTMLElement) {
    const legend = made('ul', '', 'legend')
    legend.append(...CURVES.map(({ key, name }, at) => made('li', `${key}: ${name}`, `tone-${at}`)))
    place.append(this.#chart, legend, this.#table.element)
    this.show([])
  }

  show(quantiles: readonly Quantiles[]): void {
    const newest = quantiles.at(-1)?.at ?? -1
    if (newest === this.#newest) return
    this.#newest = newest
    const top = roundTop(Math.max(1_000, ...quantiles.map(({ p99 }) => p99 ?? 0)))
    this.#chart.replaceChildren(
      ...axis(top),
      ...CURVES.map(({ key }, at) => {
        const values = quantiles.map(each => each[key])
        const d = curvePath(values, PLOT, top, Math.max(LEAST_PLACES, values.length))
        return drawn('path', { d, class: `line tone-${at}`, fill: 'none', 'stroke-linecap': 'round' })
      }),
    )
    const last = quantiles.findLast(({ count }) => count > 0)
    this.#chart.setAttribute('aria-label', last ? words(last) : 'No utterance has been translated yet.')
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
