import { element, made } from '../../../pages/page/dom.ts'
import type { LegFigures, RoomFigures } from '../protocol.ts'
import type { Board, ShownLeg } from './board.ts'
import { duration, many, say, shortly } from './format.ts'
import { Curve } from './svg.ts'

/** Lag shown as a problem from this value (ms). */
const LATE_MS = 3_000
/** Level from which a participant counts as speaking. */
const SPEAKING = 40

/** A leg in the table. Only changed elements are updated. */
export class LegRow {
  readonly element = made('tr')
  readonly button = made('button', 'Control', 'small')
  readonly #who = this.#cell('th', '', 'who')
  readonly #name = made('b')
  readonly #chips = made('span')
  readonly #languages = this.#cell('td', 'Languages', 'languages')
  readonly #level = made('span', '', 'level')
  readonly #speaking = made('span', '', 'aloud')
  readonly #lag = made('span', '', 'lag', 'figure')
  readonly #curve = new Curve(2_000)
  readonly #sessions: HTMLElement
  readonly #lost: HTMLElement
  readonly #back: HTMLElement
  readonly #for: HTMLElement
  #shown: LegFigures | undefined
  #shownLevel = -1

  constructor(open: () => void) {
    this.element.setAttribute('role', 'row')
    this.#who.scope = 'row'
    this.#who.append(this.#name, this.#chips)
    this.#cell('td', 'Level').append(this.#level, this.#speaking)
    this.#cell('td', 'Lag').append(this.#lag, this.#curve.element)
    this.#sessions = this.#cell('td', 'Translations')
    this.#lost = this.#cell('td', 'Lost frames', 'figure')
    this.#back = this.#cell('td', 'Reconnects', 'figure')
    this.#for = this.#cell('td', 'Duration', 'figure')
    this.#cell('td', '', 'act').append(this.button)
    this.button.type = 'button'
    this.button.addEventListener('click', open)
  }

  /** `at`: server time. */
  show({ figures, lagMs, curve }: ShownLeg, at: number): void {
    if (figures !== this.#shown) this.#figures(figures)
    this.#shown = figures
    say(this.#lag, shortly(lagMs))
    this.#curve.draw(curve.points, lagMs >= LATE_MS)
    say(this.#for, duration(at - figures.since))
    say(this.#speaking, figures.muted ? 'muted' : this.#shownLevel >= SPEAKING ? 'speaking' : 'quiet')
  }

  level(level: number): void {
    if (level === this.#shownLevel) return
    this.#shownLevel = level
    this.#level.style.setProperty('--level', String(level))
  }

  #figures(figures: LegFigures): void {
    const { id, name, channel, present, muted, interpreting, speaks, hears, simulated } = figures
    say(this.#name, name ?? id)
    this.element.classList.toggle('absent', !present)
    this.#chips.replaceChildren(
      chip(channel),
      ...(simulated ? [chip('simulated', 'simulated')] : []),
      ...(present ? [] : [chip('reconnecting', 'bad')]),
      ...(muted ? [chip('muted', 'bad')] : []),
      ...(interpreting ? [] : [chip('not interpreted', 'bad')]),
    )
    say(this.#languages, `${speaks ?? 'listens'} → ${hears ?? 'originals'}`)
    this.#sessions.replaceChildren(
      ...figures.sessions.map(({ to, status, drops }) =>
        chip(`${to} ${status}${drops > 0 ? `, ${drops} lost` : ''}`, status),
      ),
    )
    if (figures.sessions.length === 0) say(this.#sessions, '–')
    const { line, service } = figures.lost
    say(this.#lost, service > 0 ? `${line} + ${service}` : String(line))
    this.#lost.title = `${line} on the line, ${service} on the way to the service`
    say(this.#back, String(figures.returns))
    this.button.setAttribute('aria-label', `Control ${name ?? id}`)
  }

  #cell<K extends 'td' | 'th'>(kind: K, label: string, ...classes: string[]): HTMLElementTagNameMap[K] {
    const cell = made(kind, '', ...classes)
    cell.setAttribute('role', kind === 'th' ? 'rowheader' : 'cell')
    if (label) cell.dataset.label = label
    this.element.append(cell)
    return cell
  }
}

function chip(text: string, status = ''): HTMLElement {
  const one = made('span', text, 'chip')
  one.dataset.status = status
  return one
}

/** A room in the table: the head of a group of rows. */
class RoomGroup {
  readonly element = made('tbody')
  readonly #name = made('bdi')
  readonly #about = made('span', '', 'faint')
  readonly #button = made('button', 'Room', 'small')

  constructor(room: string, open: () => void) {
    const row = made('tr', '', 'room')
    const head = made('th')
    const act = made('td', '', 'act')
    this.element.setAttribute('role', 'rowgroup')
    row.setAttribute('role', 'row')
    head.setAttribute('role', 'rowheader')
    act.setAttribute('role', 'cell')
    head.colSpan = 8
    head.scope = 'rowgroup'
    head.append(this.#name, this.#about)
    act.append(this.#button)
    row.append(head, act)
    this.element.append(row)
    say(this.#name, room)
    this.#button.type = 'button'
    this.#button.setAttribute('aria-label', `Room ${room}`)
    this.#button.addEventListener('click', open)
  }

  /** `node`: where it is, in a fleet. */
  show({ sessions, recording }: RoomFigures, legs: number, node: string | undefined): void {
    const counted = [many(legs, 'leg'), many(sessions, 'translation')]
    const about = [...counted, recording && `recording: ${recording}`, node && `node ${node}`]
    say(this.#about, about.filter(Boolean).join(' · '))
  }
}

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
      const wanted = legs.filter(leg => this.#wants(leg, board))
      const shown = wanted.slice(0, Math.max(0, left))
      hidden += wanted.length - shown.length
      if (shown.length === 0) continue
      left -= shown.length
      groups.add(name)
      const group = this.#group(name, above)
      above = group.element
      let over = group.element.firstElementChild
      group.show(room, legs.length, board.nameOf(room.node))
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

  #wants({ figures, node }: ShownLeg, board: Board): boolean {
    if (this.#wanted === '') return true
    const { room, id, name, channel, speaks, hears, simulated } = figures
    const text = [
      room,
      id,
      name,
      channel,
      speaks,
      hears,
      simulated ? 'simulated' : '',
      board.nameOf(node),
    ].join(' ')
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
