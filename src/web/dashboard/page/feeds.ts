import type { BackoffPolicy } from '../../../common/backoff.ts'
import { element, made } from '../../../pages/page/dom.ts'
import { EventStreamClient } from '../../../pages/page/event-stream.ts'
import { CaptionStream } from '../../captions/page/caption-stream.ts'
import type { EventLine } from '../protocol.ts'
import { type Api, ApiError } from './api.ts'
import type { Board } from './board.ts'
import { say, timeOfDay } from './format.ts'

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

/** Maximum number of captions on the page. */
const MAX_CAPTIONS = 60

interface Said {
  readonly utterance: string
  readonly name?: string
  readonly speaker: string
  readonly from: string
  readonly to: string
  readonly final: boolean
  readonly text: string
  readonly translation: string
}

/** Captions of one room while they are shown, requested from the control API. */
export class SaidView {
  readonly #list = element('said', HTMLElement)
  readonly #room = element('said-room', HTMLSelectElement)
  readonly #switch = element('said-switch', HTMLButtonElement)
  readonly #lines = new Map<string, HTMLElement>()
  readonly #api: () => Api
  #stream: CaptionStream | undefined

  constructor(api: () => Api) {
    this.#api = api
    // Makes it scrollable by keyboard.
    this.#list.tabIndex = 0
    this.#switch.addEventListener('click', () => (this.#stream ? this.stop() : this.#start()))
    this.#room.addEventListener('change', () => this.#stream && this.#start())
  }

  /** Fills the list of rooms. */
  show({ rooms }: Board): void {
    const known = Array.from(this.#room.options, ({ value }) => value)
    const names = [...rooms.keys()]
    if (names.length === known.length && names.every((name, at) => name === known[at])) return
    const { value } = this.#room
    this.#room.replaceChildren(...names.map(name => made('option', name)))
    if (rooms.has(value)) this.#room.value = value
    this.#switch.disabled = names.length === 0 && !this.#stream
  }

  stop(): void {
    this.#stream?.stop()
    this.#stream = undefined
    this.#pressed(false)
    this.#clear()
  }

  #start(): void {
    const room = this.#room.value
    if (room === '') return
    this.#stream?.stop()
    this.#clear()
    this.#pressed(true)
    this.#stream = new CaptionStream({
      room,
      access: { kind: 'key', secret: this.#api().key },
      onEvent: ({ type, data }) => type === 'caption' && this.#take(JSON.parse(data) as Said),
      onState: state => {
        if (state === 'ended' || state === 'refused' || state === 'closed') this.#over()
      },
    })
    this.#stream.start()
  }

  /** The captions remain readable. */
  #over(): void {
    this.#stream?.stop()
    this.#stream = undefined
    this.#pressed(false)
  }

  #take(said: Said): void {
    const known = this.#lines.get(said.utterance)
    const one = known ?? made('li')
    if (!known) this.#list.prepend(one)
    this.#lines.set(said.utterance, one)
    const who = made('bdi', said.name ?? said.speaker, 'faint')
    const words = made('span')
    const original = made('span', said.text)
    original.lang = said.from
    const translation = made('b', said.translation)
    translation.lang = said.to
    words.append(original, ' ', translation)
    one.replaceChildren(who, words)
    if (this.#lines.size > MAX_CAPTIONS) {
      const [oldest, line] = this.#lines.entries().next().value!
      this.#lines.delete(oldest)
      line.remove()
    }
  }

  #clear(): void {
    this.#lines.clear()
    this.#list.replaceChildren()
  }

  #pressed(on: boolean): void {
    this.#switch.setAttribute('aria-pressed', String(on))
    say(this.#switch, on ? 'Hide captions' : 'Show captions')
  }
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
