import { element, made } from '../../../pages/page/dom.ts'
import { CaptionStream } from '../../captions/page/caption-stream.ts'
import type { Api } from './api.ts'
import { say } from './format.ts'

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
  readonly #switch = element('said-switch', HTMLButtonElement)
  readonly #lines = new Map<string, HTMLElement>()
  readonly #api: () => Api
  #stream: CaptionStream | undefined
  #room = ''

  constructor(api: () => Api) {
    this.#api = api
    // Makes it scrollable by keyboard.
    this.#list.tabIndex = 0
    this.#switch.addEventListener('click', () => (this.#stream ? this.stop() : this.#start()))
  }

  /** Selects the room; its captions stay off until they are switched on. */
  of(room: string): void {
    if (room === this.#room) return
    this.stop()
    this.#room = room
  }

  stop(): void {
    this.#stream?.stop()
    this.#stream = undefined
    this.#pressed(false)
    this.#clear()
    this.#list.hidden = true
  }

  #start(): void {
    const room = this.#room
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
    if (on) this.#list.hidden = false
    element('said-off', HTMLElement).hidden = on
  }
}
