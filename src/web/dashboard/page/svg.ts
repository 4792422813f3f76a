const SVG = 'http://www.w3.org/2000/svg'

/** Creates an SVG element. */
export function drawn<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | number>> = {},
  text = '',
): SVGElementTagNameMap[K] {
  const one = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, String(value))
  if (text) one.textContent = text
  return one
}

/** Returns a path through points from left to right; null interrupts it. `top` is the largest value on the axis. */
export function curvePath(
  values: readonly (number | null)[],
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  top: number,
  places = values.length,
): string {
  const step = box.width / Math.max(1, places - 1)
  let path = ''
  let pen = 'M'
  for (const [at, value] of values.entries()) {
    if (value === null) {
      pen = 'M'
      continue
    }
    const x = box.x + (at + places - values.length) * step
    const y = box.y + box.height - (Math.min(value, top) / top) * box.height
    path += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`
    pen = 'L'
  }
  return path
}

/** Returns a round number of at least `value`: the top of an axis. */
export function roundTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [1, 2, 2.5, 5, 10].map(step => step * power).find(step => step >= value) ?? 10 * power
}

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
