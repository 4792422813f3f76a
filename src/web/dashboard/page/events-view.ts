import { element, made } from '../../../pages/page/element.ts'
import type { EventLine } from '../protocol.ts'
import { timeOfDay } from './format.ts'

/** Maximum number of lines on the page. */
const MAX_EVENTS = 120

/** The events, newest first. */
export class EventsView {
  readonly #list = element('events', HTMLElement)
  readonly #kind = element('event-kind', HTMLSelectElement)
  #newest = 0

  constructor(changed: () => void) {
    // Makes it scrollable by keyboard.
    this.#list.tabIndex = 0
    this.#kind.addEventListener('change', () => {
      this.clear()
      changed()
    })
  }

  clear(): void {
    this.#newest = 0
    this.#list.replaceChildren()
  }

  show(events: readonly EventLine[]): void {
    const fresh = events.filter(({ id }) => id > this.#newest)
    this.#newest = events.at(-1)?.id ?? this.#newest
    const wanted = fresh.filter(each => this.#wants(each)).toReversed()
    if (wanted.length === 0) return
    this.#list.prepend(...wanted.slice(0, MAX_EVENTS).map(line))
    while (this.#list.childElementCount > MAX_EVENTS) this.#list.lastElementChild?.remove()
  }

  #wants({ kind, bad }: EventLine): boolean {
    const { value } = this.#kind
    return value === '' || (value === 'bad' ? bad : kind === value)
  }
}

function line({ at, room, who, text, bad }: EventLine): HTMLElement {
  const one = made('li')
  const when = made('time', timeOfDay(at))
  when.dateTime = new Date(at).toISOString()
  const words = made('span', '', ...(bad ? ['bad'] : []))
  words.append(made('b', who ?? room ?? ''), ` ${text}`)
  if (who !== null && room !== null) words.append(made('span', ` · ${room}`, 'faint'))
  one.append(when, words)
  return one
}
