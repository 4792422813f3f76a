import { element, made } from '../../../pages/page/dom.ts'
import { spokenOf } from '../../../pages/page/languages.ts'
import type { Offer, RoomFigures } from '../protocol.ts'
import type { Board, ShownLeg } from './board.ts'
import { participantName } from './figures.ts'
import { duration, many, say } from './format.ts'
import { channelOf, ParticipantRow } from './participant-row.ts'

const COLUMNS = ['Participant', 'Languages', 'Level', 'Lag', 'State', 'Duration'] as const

/** A room with the table of its participants. */
class RoomCard {
  readonly element = made('section', '', 'room')
  readonly body = made('tbody')
  readonly #about = made('p', '', 'faint', 'figure')
  readonly #button = made('button', 'Details', 'small')

  constructor(room: string, open: () => void) {
    const head = made('div', '', 'room-head')
    const title = made('h3')
    title.append(made('bdi', room))
    const words = made('div')
    words.append(title, this.#about)
    this.#button.type = 'button'
    this.#button.setAttribute('aria-label', `Details of ${room}`)
    this.#button.addEventListener('click', open)
    head.append(words, this.#button)
    const table = made('table')
    // On phones, rows are laid out as cards, which removes the roles of a table.
    table.setAttribute('role', 'table')
    this.body.setAttribute('role', 'rowgroup')
    const scroll = made('div', '', 'scroll')
    scroll.append(table)
    table.append(made('caption', `Participants of ${room}`, 'aloud'), columns(), this.body)
    this.element.append(head, scroll)
  }

  /** `at`: server time; `node`: where it is, in a fleet; `selected`: its details are open. */
  show(room: RoomFigures, legs: number, at: number, node: string | undefined, selected: boolean): void {
    const { sessions, recording, since } = room
    const counted = [many(legs, 'participant'), many(sessions, 'translation'), duration(at - since)]
    const about = [...counted, recording && `recording: ${recording}`, node && `node ${node}`]
    say(this.#about, about.filter(Boolean).join(' · '))
    this.element.classList.toggle('selected', selected)
  }
}

function columns(): HTMLElement {
  const head = made('thead')
  const row = made('tr')
  row.setAttribute('role', 'row')
  for (const name of [...COLUMNS, 'Actions']) {
    const cell = made('th')
    cell.scope = 'col'
    cell.setAttribute('role', 'columnheader')
    cell.append(made('span', name, ...(name === 'Actions' ? ['aloud'] : [])))
    row.append(cell)
  }
  head.setAttribute('role', 'rowgroup')
  head.append(row)
  return head
}

/** Maximum number of rows; the filter shows others. */
const MOST_ROWS = 250

export interface RoomsActions {
  openLeg(n: number): void
  openRoom(room: string): void
  /** The room whose details are open. */
  opened(): string | undefined
}

/** The rooms with their participants. */
export class RoomsTable {
  readonly #actions: RoomsActions
  readonly #place = element('rooms', HTMLElement)
  readonly #find = element('find', HTMLInputElement)
  readonly #cards = new Map<string, RoomCard>()
  readonly #rows = new Map<number, ParticipantRow>()
  #wanted = ''
  #offered: readonly string[] = []

  constructor(actions: RoomsActions, changed: () => void) {
    this.#actions = actions
    this.#find.addEventListener('input', () => {
      this.#wanted = this.#find.value.trim().toLowerCase()
      changed()
    })
    document.addEventListener('keydown', event => {
      const { key, target, ctrlKey, altKey, metaKey } = event
      if (key !== '/' || ctrlKey || altKey || metaKey || this.#find.disabled) return
      if (target instanceof Element && target.closest('input, select, textarea, dialog[open]')) return
      event.preventDefault()
      this.#find.focus()
    })
  }

  /** Languages of the service, to name variants only where there are several. */
  offer(offer: Offer): void {
    this.#offered = spokenOf(offer)
  }

  show(board: Board): void {
    const byRoom = Map.groupBy(board.legs.values(), ({ figures }) => figures.room)
    let left = MOST_ROWS
    let hidden = 0
    const cards = new Set<string>()
    const rows = new Set<number>()
    // Rows that match the filter again return to their position.
    let above: Element | null = null
    for (const [name, room] of board.rooms) {
      const legs = byRoom.get(name) ?? []
      const wanted = legs.filter(leg => this.#wants(leg, board))
      const shown = wanted.slice(0, Math.max(0, left))
      hidden += wanted.length - shown.length
      if (shown.length === 0) continue
      left -= shown.length
      cards.add(name)
      const card = this.#card(name, above)
      above = card.element
      card.show(room, legs.length, board.at, board.nameOf(room.node), this.#actions.opened() === name)
      let over: Element | null = null
      for (const leg of shown) {
        rows.add(leg.figures.n)
        const row = this.#row(leg, card, over)
        row.show(leg, board.at, this.#offered)
        over = row.element
      }
    }
    this.#forget(cards, rows)
    this.#tell(board, rows.size, hidden)
  }

  levels(board: Board): void {
    for (const [n, row] of this.#rows) row.level(board.legs.get(n)?.level ?? 0)
  }

  #tell({ rooms, legs }: Board, shown: number, hidden: number): void {
    const none = legs.size === 0
    say(
      element('totals', HTMLElement),
      none ? '' : `${many(rooms.size, 'room')}, ${many(legs.size, 'participant')}`,
    )
    element('nobody', HTMLElement).hidden = !none
    element('filter', HTMLElement).hidden = none
    const more = element('more', HTMLElement)
    const nothing = shown === 0 && !none
    more.hidden = hidden === 0 && !nothing
    say(more, nothing ? 'No matches.' : `${hidden} more. Use the filter.`)
  }

  #wants({ figures, node }: ShownLeg, board: Board): boolean {
    if (this.#wanted === '') return true
    const { room, id, channel, speaks, hears } = figures
    const told = [
      room,
      id,
      participantName(figures),
      channel,
      channelOf(figures),
      speaks,
      hears,
      board.nameOf(node),
    ]
    return told.join(' ').toLowerCase().includes(this.#wanted)
  }

  #card(name: string, above: Element | null): RoomCard {
    const known = this.#cards.get(name)
    if (known) return known
    const card = new RoomCard(name, () => this.#actions.openRoom(name))
    this.#cards.set(name, card)
    if (above) above.after(card.element)
    else this.#place.prepend(card.element)
    return card
  }

  #row({ figures: { n } }: ShownLeg, { body }: RoomCard, over: Element | null): ParticipantRow {
    const row = this.#rows.get(n) ?? new ParticipantRow(() => this.#actions.openLeg(n))
    this.#rows.set(n, row)
    if (row.element.parentElement !== body) {
      if (over) over.after(row.element)
      else body.prepend(row.element)
    }
    return row
  }

  #forget(cards: ReadonlySet<string>, rows: ReadonlySet<number>): void {
    for (const [n, { element: one }] of this.#rows)
      if (!rows.has(n)) {
        one.remove()
        this.#rows.delete(n)
      }
    for (const [name, { element: one }] of this.#cards)
      if (!cards.has(name)) {
        one.remove()
        this.#cards.delete(name)
      }
  }
}
