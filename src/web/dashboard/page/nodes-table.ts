import { element, made } from '../../../pages/page/dom.ts'
import type { NodeView } from '../protocol.ts'
import type { Board } from './board.ts'
import { say } from './format.ts'

/** Words for the state of a node. */
const STATES: Record<NodeView['state'], string> = {
  up: 'up',
  draining: 'draining',
  silent: 'no heartbeats',
}

/** The nodes of a fleet; hidden for a standalone server. */
export class NodesTable {
  readonly #place = element('nodes-place', HTMLElement)
  readonly #table = element('nodes', HTMLTableElement)
  readonly #body = made('tbody')
  readonly #rows = new Map<string, NodeRow>()

  constructor() {
    this.#table.append(this.#body)
  }

  show(board: Board): void {
    this.#place.hidden = board.nodes.length === 0
    for (const view of board.nodes) {
      const row = this.#rows.get(view.node) ?? new NodeRow()
      this.#rows.set(view.node, row)
      row.show(view, board)
    }
    const names = new Set(board.nodes.map(({ node }) => node))
    for (const name of this.#rows.keys()) if (!names.has(name)) this.#rows.delete(name)
    const rows = board.nodes.map(({ node }) => this.#rows.get(node)!.element)
    if (rows.some((row, at) => this.#body.children[at] !== row) || this.#body.childElementCount > rows.length)
      this.#body.replaceChildren(...rows)
  }
}

/** A node in the table. */
class NodeRow {
  readonly element = made('tr')
  readonly #name = made('th')
  readonly #state = made('span', '', 'chip')
  readonly #figures = Array.from({ length: 6 }, () => made('td', '', 'figure'))

  constructor() {
    this.#name.scope = 'row'
    const state = made('td')
    state.append(this.#state)
    this.element.append(this.#name, state, ...this.#figures)
  }

  show(view: NodeView, board: Board): void {
    const { node, self, state, shown, rooms, legs, version } = view
    const health = board.healthOf(view)
    say(this.#name, self ? `${node} (this page)` : node)
    say(this.#state, shown || state === 'silent' ? STATES[state] : `${STATES[state]}, rooms not shown`)
    this.#state.dataset.status = state === 'up' && shown ? 'live' : 'bad'
    const texts = [
      String(rooms),
      String(legs),
      health ? `${Math.round(health.cpuPercent)} %` : '–',
      health ? `${health.memoryMiB} MiB` : '–',
      health ? `${Math.round(health.loopLagMs)} ms` : '–',
      version,
    ]
    for (const [at, cell] of this.#figures.entries()) say(cell, texts[at] ?? '')
  }
}
