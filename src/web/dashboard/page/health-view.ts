import { element, made } from '../../../pages/page/dom.ts'
import type { HealthFigures } from '../protocol.ts'
import type { Board } from './board.ts'
import { many, say, shortly, timeOfDay } from './format.ts'
import { Curve } from './svg.ts'
import { systemProblem } from './system-status.ts'

interface Figure {
  readonly name: string
  /** Large and small text. */
  readonly words: (health: HealthFigures) => readonly [string, string?]
  /** Values of the curve, and the minimum top of its axis. */
  readonly curve?: { readonly of: (health: HealthFigures) => number; readonly least: number }
}

const FIGURES: readonly Figure[] = [
  {
    name: 'Event loop delay',
    words: ({ loopLagMs }) => [`${Math.round(loopLagMs)} ms`],
    curve: { of: ({ loopLagMs }) => loopLagMs, least: 50 },
  },
  {
    name: 'CPU',
    words: ({ cpuPercent }) => [`${Math.round(cpuPercent)} %`, 'of one core'],
    curve: { of: ({ cpuPercent }) => cpuPercent, least: 100 },
  },
  {
    name: 'Memory',
    words: ({ memoryMiB, memoryPercent }) => [`${memoryMiB} MiB`, `${memoryPercent} % of the limit`],
  },
  {
    name: 'Translation service',
    words: ({ services, waiting, onFallback }) => [
      services[0] === 'closed' ? 'Available' : services[0] === 'half-open' ? 'Being tested' : 'Unavailable',
      services.length + waiting + onFallback > 1 ? `${waiting} waiting, ${onFallback} at a fallback` : '',
    ],
  },
  {
    name: 'Embedded engines',
    words: ({ embedded }) =>
      embedded
        ? [
            embedded.running ? (embedded.standIns.length > 0 ? 'Replaced' : 'Running') : 'Starting',
            embedded.standIns.join(', ') || many(embedded.restarts, 'restart'),
          ]
        : ['Not in use', 'an external service translates'],
  },
  {
    name: 'New calls',
    words: ({ overloadReason, draining, rejected }) => [
      draining ? 'Draining' : overloadReason ? `Overloaded: ${overloadReason}` : 'Accepting',
      `${rejected} rejected`,
    ],
  },
  {
    name: 'Connections',
    words: ({ requestGuard: { connections, unauthenticated } }) => [
      String(connections),
      `${unauthenticated} without a key`,
    ],
  },
  {
    name: 'Rejected connections',
    words: ({ requestGuard: { rejected, malformed } }) => [String(rejected), `${malformed} malformed`],
  },
]

/** State of the system: one quiet line while all is well, and the problem with its effect and fix otherwise. */
export class HealthView {
  readonly #tiles = FIGURES.map(figure => new Tile(figure))
  readonly #problem = element('problem', HTMLElement)
  #key = ''

  constructor() {
    element('health', HTMLElement).append(...this.#tiles.map(({ element: one }) => one))
  }

  show(board: Board): void {
    for (const tile of this.#tiles) tile.show(board.health)
    const now = board.health.at(-1)
    if (!now) return
    const problem = systemProblem(now)
    this.#problem.hidden = problem === undefined
    if (problem && problem.key !== this.#key) {
      this.#problem.dataset.mood = problem.mood
      element('problem-fix', HTMLElement).replaceChildren(
        ...(problem.fix === '' ? [] : [made('b', 'Fix:'), ' ', ...marked(problem.fix)]),
      )
    }
    if (problem) {
      say(element('problem-title', HTMLElement), problem.title)
      say(element('problem-effect', HTMLElement), problem.effect)
    }
    this.#key = problem?.key ?? ''
    say(element('system-title', HTMLElement), problem ? 'System' : 'All systems normal')
    element('system-dot', HTMLElement).dataset.mood = problem?.mood ?? 'good'
    say(element('system-facts', HTMLElement), facts(board, now))
  }
}

function facts({ rooms, legs, quantiles }: Board, { cpuPercent, memoryMiB }: HealthFigures): string {
  const delay = quantiles.findLast(({ count }) => count > 0)?.p50
  return [
    rooms.size === 0 ? 'No active calls' : many(rooms.size, 'room'),
    legs.size === 0 ? '' : many(legs.size, 'participant'),
    delay === null || delay === undefined ? '' : `median delay ${shortly(delay)}`,
    `CPU ${Math.round(cpuPercent)} %`,
    legs.size === 0 ? `${memoryMiB} MiB` : '',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Parts between backticks become code. */
function marked(text: string): (string | HTMLElement)[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? made('code', part) : part))
}

/** Shows that the figures are of `at` (server time), because the connection was lost; undefined: they are current. */
export function showStale(at: number | undefined): void {
  element('stale', HTMLElement).hidden = at === undefined
  const figures = at ? `Figures below are from ${timeOfDay(at)}.` : 'There are no figures yet.'
  say(
    element('stale-text', HTMLElement),
    at === undefined
      ? ''
      : `Connection lost. ${figures} Reconnecting automatically. If this continues, check that the server is running.`,
  )
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
    const { words, curve } = this.#figure
    const [large, small = ''] = words(now)
    say(this.#large, large)
    if (curve && this.#curve) this.#curve.draw(health.map(curve.of))
    else say(this.#small, small)
  }
}
