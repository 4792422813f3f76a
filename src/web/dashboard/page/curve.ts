import { curvePath, drawn } from './svg.ts'

const BOX = { x: 1, y: 1, width: 98, height: 26 }

/** Minimum number of points on the axis. */
const LEAST_PLACES = 12

/** A small curve without axes, next to its current value. */
export class Curve {
  readonly element = drawn('svg', {
    viewBox: '0 0 100 28',
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
    class: 'curve',
  })
  readonly #path = drawn('path', {
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': 2,
    'vector-effect': 'non-scaling-stroke',
  })
  readonly #least: number
  #drawn = ''

  /** `least`: minimum top of the axis. */
  constructor(least: number) {
    this.#least = least
    this.element.append(this.#path)
  }

  /** `bad`: drawn as a problem. */
  draw(values: readonly number[], bad = false): void {
    const places = Math.max(LEAST_PLACES, values.length)
    const path = curvePath(values, BOX, Math.max(this.#least, ...values), places)
    if (path !== this.#drawn) this.#path.setAttribute('d', path)
    this.#drawn = path
    this.element.dataset.mood = bad ? 'bad' : ''
  }
}
