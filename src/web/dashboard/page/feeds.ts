import type { BackoffPolicy } from '../../../common/backoff.ts'
import { element, made } from '../../../pages/page/dom.ts'
import { EventStreamClient } from '../../../pages/page/event-stream.ts'
import type { EventLine } from '../protocol.ts'
import { type Api, ApiError } from './api.ts'
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
    element('no-events', HTMLElement).hidden = wanted.length > 0 || this.#list.childElementCount > 0
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

/** `again`: reconnects automatically. `refused` and `closed` are final. */
export type LiveState = 'connecting' | 'live' | 'again' | 'refused' | 'closed'

export interface LiveOptions {
  readonly api: Api
  readonly onEvent: (type: string, data: string) => void
  /** `words`: description of the problem, if any. */
  readonly onState: (state: LiveState, words: string) => void
}

/** Time without data after which the connection is replaced (ms); the server sends something every second. */
const SILENCE_MS = 6_000
const RECONNECT: BackoffPolicy = { firstMs: 300, maxMs: 10_000 }

/** The stream of the dashboard, over any number of connections. */
export class Live {
  readonly #options: LiveOptions
  readonly #stream: EventStreamClient

  constructor(options: LiveOptions) {
    this.#options = options
    const { api, onEvent, onState } = options
    this.#stream = new EventStreamClient({
      open: (_lastId, signal) => api.open('GET', '/dashboard/events', undefined, signal),
      silenceMs: SILENCE_MS,
      reconnect: RECONNECT,
      events: {
        opened: () => onState('live', ''),
        event: ({ type, data }) => onEvent(type, data),
        lost: error => this.#lost(error),
      },
    })
  }

  start(): void {
    this.#options.onState('connecting', '')
    this.#stream.start()
  }

  stop(): void {
    this.#stream.stop()
  }

  /** Reconnects without delay, when the network is back or the page is visible again. */
  hurry(): void {
    this.#stream.hurry()
  }

  #lost(error: unknown): number | undefined {
    const { onState } = this.#options
    const refusal = error instanceof ApiError ? error : undefined
    if (refusal?.status === 401) return void onState('refused', refusal.message)
    if (refusal?.code === 'control_closed') return void onState('closed', refusal.message)
    if (error === undefined) onState('again', 'the connection was closed')
    else onState('again', refusal?.message ?? 'the server does not respond')
    return 0
  }
}
