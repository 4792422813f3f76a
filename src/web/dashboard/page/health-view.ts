import { element, made } from '../../../pages/page/dom.ts'
import type { HealthFigures } from '../protocol.ts'
import { say } from './format.ts'
import { Curve } from './svg.ts'

type Mood = 'good' | 'bad' | 'plain'

interface Figure {
  readonly name: string
  /** Large and small text. */
  readonly words: (health: HealthFigures) => readonly [string, string?]
  readonly mood: (health: HealthFigures) => Mood
  /** Values of the curve, and the minimum top of its axis. */
  readonly curve?: { readonly of: (health: HealthFigures) => number; readonly least: number }
}

const plain = (): Mood => 'plain'
const when = (bad: boolean): Mood => (bad ? 'bad' : 'good')

const FIGURES: readonly Figure[] = [
  {
    name: 'Event loop delay',
    words: ({ loopLagMs }) => [`${Math.round(loopLagMs)} ms`],
    mood: ({ loopLagMs }) => when(loopLagMs > 100),
    curve: { of: ({ loopLagMs }) => loopLagMs, least: 50 },
  },
  {
    name: 'CPU',
    words: ({ cpuPercent }) => [`${Math.round(cpuPercent)} %`, 'of one core'],
    mood: ({ cpuPercent }) => when(cpuPercent > 85),
    curve: { of: ({ cpuPercent }) => cpuPercent, least: 100 },
  },
  {
    name: 'Memory',
    words: ({ memoryMiB, memoryPercent }) => [`${memoryMiB} MiB`, `${memoryPercent} % of the limit`],
    mood: ({ memoryPercent }) => when(memoryPercent > 80),
  },
  {
    name: 'Translation service',
    words: ({ services, waiting, onFallback }) => [
      services[0] === 'closed' ? 'available' : services[0] === 'half-open' ? 'being tested' : 'unavailable',
      services.length + waiting + onFallback > 1 ? `${waiting} waiting, ${onFallback} at a fallback` : '',
    ],
    mood: ({ services }) => when(services[0] !== 'closed'),
  },
  {
    name: 'Embedded engines',
    words: ({ embedded }) =>
      embedded
        ? [
            embedded.running ? (embedded.standIns.length > 0 ? 'on stand-ins' : 'running') : 'starting',
            embedded.standIns.join(', ') || `${embedded.restarts} restarts`,
          ]
        : ['not in use', 'an external service translates'],
    mood: ({ embedded }) => (embedded ? when(!embedded.running || embedded.standIns.length > 0) : 'plain'),
  },
  {
    name: 'New calls',
    words: ({ overloadReason, draining, rejected }) => [
      draining ? 'draining' : overloadReason ? `overloaded: ${overloadReason}` : 'accepted',
      `${rejected} rejected`,
    ],
    mood: ({ overloadReason, draining }) => when(draining || overloadReason !== null),
  },
  {
    name: 'Connections',
    words: ({ requestGuard }) => [
      String(requestGuard.connections),
      `${requestGuard.unauthenticated} not authenticated yet`,
    ],
    mood: plain,
  },
  {
    name: 'Rejected connections',
    words: ({ requestGuard }) => [
      String(requestGuard.rejected),
      `${requestGuard.malformed} malformed requests`,
    ],
    mood: plain,
  },
]

/** Health of the process: a value and a color each, with a word for the color. */
export class HealthView {
  readonly #tiles = FIGURES.map(figure => new Tile(figure))

  constructor() {
    element('health', HTMLElement).append(...this.#tiles.map(({ element: one }) => one))
  }

  show(health: readonly HealthFigures[]): void {
    for (const tile of this.#tiles) tile.show(health)
  }
}

class Tile {
  readonly element = made('div')
  readonly #figure: Figure
  readonly #large = made('dd')
  readonly #small = made('dd')
  readonly #curve: Curve | undefined

  constructor(figure: Figure) {
    this.#figure = figure
    this.#curve = figure.curve && new Curve(figure.curve.least)
    this.element.append(made('dt', figure.name), this.#large, this.#small)
    if (this.#curve) this.#small.append(this.#curve.element)
  }

  show(health: readonly HealthFigures[]): void {
    const now = health.at(-1)
    if (!now) return
    const { words, mood, curve } = this.#figure
    const [large, small = ''] = words(now)
    say(this.#large, large)
    this.element.dataset.mood = mood(now)
    if (curve && this.#curve) this.#curve.draw(health.map(curve.of), mood(now) === 'bad')
    else say(this.#small, small)
  }
}
