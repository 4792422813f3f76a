import { element } from '../../../pages/page/element.ts'
import type { Board, ShownLeg } from './board.ts'
import { many, say } from './format.ts'
import { LegRow } from './leg-row.ts'
import { RoomGroup } from './room-group.ts'

/** Maximum number of rows; the filter shows others. */
const MOST_ROWS = 250

export interface RoomsActions {
  openLeg(n: number): void
  openRoom(room: string): void
}

/** The table of rooms and legs. */
export class RoomsTable {
  readonly #actions: RoomsActions
  readonly #table = element('rooms', HTMLTableElement)
  readonly #find = element('find', HTMLInputElement)
  readonly #groups = new Map<string, RoomGroup>()
  readonly #rows = new Map<number, LegRow>()
  #wanted = ''

  constructor(actions: RoomsActions, changed: () => void) {
    this.#actions = actions
    this.#find.addEventListener('input', () => {
      this.#wanted = this.#find.value.trim().toLowerCase()
      changed()
    })
  }

  show(board: Board): void {
    const byRoom = Map.groupBy(board.legs.values(), ({ figures }) => figures.room)
    let left = MOST_ROWS
    let hidden = 0
    const groups = new Set<string>()
    const rows = new Set<number>()
    // Rows that match the filter again return to their position.
    let above: Element | null = this.#table.tHead
    for (const [name, room] of board.rooms) {
      const legs = byRoom.get(name) ?? []
      const wanted = legs.filter(leg => this.#wants(leg))
      const shown = wanted.slice(0, Math.max(0, left))
      hidden += wanted.length - shown.length
      if (shown.length === 0) continue
      left -= shown.length
      groups.add(name)
      const group = this.#group(name, above)
      above = group.element
      let over = group.element.firstElementChild
      group.show(room, legs.length)
      for (const leg of shown) {
        rows.add(leg.figures.n)
        const row = this.#row(leg, group, over)
        row.show(leg, board.at)
        over = row.element
      }
    }
    this.#forget(groups, rows)
    say(element('totals', HTMLElement), `${many(board.rooms.size, 'room')}, ${many(board.legs.size, 'leg')}`)
    element('nobody', HTMLElement).hidden = board.legs.size > 0
    element('rooms-scroll', HTMLElement).hidden = board.legs.size === 0
    const more = element('more', HTMLElement)
    const none = rows.size === 0 && board.legs.size > 0
    more.hidden = hidden === 0 && !none
    say(more, none ? 'No matches.' : `${hidden} more. Use the filter.`)
  }

  levels(board: Board): void {
    for (const [n, row] of this.#rows) row.level(board.legs.get(n)?.level ?? 0)
  }

  #wants({ figures }: ShownLeg): boolean {
    if (this.#wanted === '') return true
    const { room, id, name, channel, speaks, hears, simulated } = figures
    const text = [room, id, name, channel, speaks, hears, simulated ? 'simulated' : ''].join(' ')
    return text.toLowerCase().includes(this.#wanted)
  }

  #group(name: string, above: Element | null): RoomGroup {
    const known = this.#groups.get(name)
    if (known) return known
    const group = new RoomGroup(name, () => this.#actions.openRoom(name))
    this.#groups.set(name, group)
    above?.after(group.element)
    return group
  }

  #row({ figures: { n } }: ShownLeg, group: RoomGroup, over: Element | null): LegRow {
    const row = this.#rows.get(n) ?? new LegRow(() => this.#actions.openLeg(n))
    this.#rows.set(n, row)
    if (row.element.parentElement !== group.element) over?.after(row.element)
    return row
  }

  #forget(groups: ReadonlySet<string>, rows: ReadonlySet<number>): void {
    for (const [n, { element: one }] of this.#rows)
      if (!rows.has(n)) {
        one.remove()
        this.#rows.delete(n)
      }
    for (const [name, { element: one }] of this.#groups)
      if (!groups.has(name)) {
        one.remove()
        this.#groups.delete(name)
      }
  }
}
