import { made } from '../../../pages/page/element.ts'
import type { RoomFigures } from '../protocol.ts'
import { many, say } from './format.ts'

/** A room in the table: the head of a group of rows. */
export class RoomGroup {
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

  show({ sessions, recording }: RoomFigures, legs: number): void {
    const counted = [many(legs, 'leg'), many(sessions, 'translation')]
    say(this.#about, [...counted, ...(recording ? [`recording: ${recording}`] : [])].join(' · '))
  }
}
