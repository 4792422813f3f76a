import { element, made } from '../../../../pages/page/dom.ts'
import type { ToListener } from '../protocol.ts'

/** Maximum number of captions shown. */
const MOST = 60
/** Captions that screen readers keep. */
const MOST_ALOUD = 10
/** Distance from the end at which the reader still follows new captions (px). */
const AT_END = 80

const list = element('captions', HTMLOListElement)
const empty = element('captions-empty', HTMLElement)
const aloud = element('captions-aloud', HTMLElement)

/** Captions in the listener's language. Screen readers announce only final ones. */
export class ListenCaptions {
  readonly #items = new Map<string, HTMLLIElement>()
  /** The name above the latest caption. */
  #speaker = ''

  constructor() {
    // The list scrolls, so it must be focusable.
    list.tabIndex = 0
  }

  show({ utterance, name, final, language, text }: Extract<ToListener, { kind: 'caption' }>): void {
    empty.hidden = true
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < AT_END
    const item = this.#items.get(utterance) ?? this.#add(utterance, name)
    const line = made('span', text)
    line.lang = language
    line.dir = 'auto'
    item.classList.toggle('draft', !final)
    const { who = '' } = item.dataset
    item.replaceChildren(...(who === '' ? [] : [made('span', who, 'who')]), line)
    if (final) this.#announce(line.cloneNode(true))
    if (atEnd) list.scrollTop = list.scrollHeight
  }

  /** None will come. */
  end(): void {
    empty.hidden = true
  }

  #add(utterance: string, name = ''): HTMLLIElement {
    const item = made('li')
    // Named once, until somebody else speaks.
    if (name !== this.#speaker) item.dataset.who = name
    this.#speaker = name
    this.#items.set(utterance, item)
    list.append(item)
    if (this.#items.size > MOST) {
      const [oldest, first] = this.#items.entries().next().value!
      first.remove()
      this.#items.delete(oldest)
    }
    return item
  }

  #announce(line: Node): void {
    const paragraph = made('p')
    paragraph.append(line)
    aloud.append(paragraph)
    while (aloud.childElementCount > MOST_ALOUD) aloud.firstElementChild?.remove()
  }
}
