import { element, made } from '../../../pages/page/element.ts'
import type { SimulatedCallView } from '../protocol.ts'
import { type Api, troubleOf } from './api.ts'
import { duration, say } from './format.ts'
import { PhoneListener } from './phone-listener.ts'

/**
 * Maximum number of phones played at once: browsers allow six connections to a server, and the page needs some itself.
 */
const MOST_HEARD = 2
/** Stop functions of those, oldest first. */
const heard: (() => void)[] = []

/** The simulated calls in progress, with their phones to listen to. */
export class CallsView {
  readonly #list = element('calls', HTMLElement)
  readonly #items = new Map<string, CallItem>()
  readonly #api: () => Api

  constructor(api: () => Api) {
    this.#api = api
  }

  /** `at`: server time. */
  show(calls: readonly SimulatedCallView[], at: number): void {
    for (const [id, item] of this.#items)
      if (!calls.some(call => call.id === id)) {
        item.close()
        this.#items.delete(id)
      }
    for (const call of calls) {
      const item = this.#items.get(call.id) ?? new CallItem(call, this.#api)
      if (!this.#items.has(call.id)) this.#list.append(item.element)
      this.#items.set(call.id, item)
      item.show(call, at)
    }
  }
}

class CallItem {
  readonly element = made('li')
  readonly #id: string
  readonly #api: () => Api
  readonly #left = made('span', '', 'faint', 'figure')
  readonly #told = made('p', '', 'bad')
  readonly #listeners: (PhoneListener | undefined)[] = []
  readonly #stops: (() => void)[] = []

  constructor({ id, phones }: SimulatedCallView, api: () => Api) {
    this.#id = id
    this.#api = api
    const head = made('div', '', 'row')
    const hangUp = made('button', 'Hang up', 'danger', 'small')
    hangUp.type = 'button'
    hangUp.setAttribute('aria-label', `Hang up ${id}`)
    hangUp.addEventListener('click', () => void this.#hangUp())
    head.append(made('b', id), this.#left, hangUp)
    this.#told.setAttribute('role', 'alert')
    this.element.append(head, ...phones.map((_, phone) => this.#phone(phone, phones.length)), this.#told)
  }

  show({ endsAt }: SimulatedCallView, at: number): void {
    say(this.#left, `${duration(endsAt - at)} left`)
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.element.remove()
  }

  #phone(phone: number, count: number): HTMLElement {
    const row = made('div', '', 'row')
    const who = count === 1 ? 'the phone' : phone === 0 ? 'the first phone' : 'the second phone'
    const button = made('button', `Listen to ${who}`, 'small')
    const level = made('span', '', 'level')
    button.type = 'button'
    button.setAttribute('aria-pressed', 'false')
    const stop = () => {
      this.#listeners[phone]?.stop()
      stopped()
    }
    const stopped = () => {
      if (heard.includes(stop)) heard.splice(heard.indexOf(stop), 1)
      this.#listeners[phone] = undefined
      button.setAttribute('aria-pressed', 'false')
      level.style.setProperty('--level', '0')
    }
    this.#stops[phone] = stop
    button.addEventListener('click', () => {
      if (this.#listeners[phone]) {
        stop()
        return
      }
      while (heard.length >= MOST_HEARD) heard[0]!()
      heard.push(stop)
      button.setAttribute('aria-pressed', 'true')
      this.#listeners[phone] = new PhoneListener({
        ...{ api: this.#api(), call: this.#id, phone },
        // Two phones are panned left and right.
        pan: count === 1 ? 0 : phone === 0 ? -0.6 : 0.6,
        onLevel: loud => level.style.setProperty('--level', String(Math.round(Math.sqrt(loud) * 100))),
        onEnd: stopped,
      })
    })
    row.append(button, level)
    return row
  }

  async #hangUp(): Promise<void> {
    try {
      await this.#api().ask('DELETE', `/dashboard/calls/${encodeURIComponent(this.#id)}`)
    } catch (error) {
      say(this.#told, troubleOf(error))
    }
  }
}
