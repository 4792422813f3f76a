import { element, made } from '../../../pages/page/dom.ts'
import type { Outbound } from '../protocol.ts'
import { say } from './words.ts'

type Caption = Extract<Outbound, { kind: 'caption' }>

/** Maximum number of captions shown. */
const MOST = 100

const list = element('captions', HTMLOListElement)
const empty = element('captions-empty', HTMLElement)
const page = element('captions-page', HTMLAnchorElement)
const aloud = element('captions-aloud', HTMLElement)

/** Live captions in both languages. Screen readers announce only final ones. */
export class Captions {
  readonly #items = new Map<string, HTMLLIElement>()

  constructor() {
    // The list scrolls, so it must be focusable.
    list.tabIndex = 0
  }

  /** Links to the captions page at `path`; hides the link if `path` is undefined. */
  lead(path: string | undefined): void {
    page.hidden = path === undefined
    if (path !== undefined) page.href = path
  }

  show(caption: Caption): void {
    const { utterance, mine, final, from, to, text = '', translation = '' } = caption
    if (text === '' && translation === '') return
    empty.hidden = true
    const name = caption.name ?? say(mine ? 'you' : 'unnamed')
    const item = this.#items.get(utterance) ?? this.#add(utterance, name)
    item.className = `said${mine ? ' mine' : ''}${final ? '' : ' draft'}`
    item.replaceChildren(
      made('p', name, 'who'),
      ...(text === '' ? [] : [line(text, from, 'original')]),
      ...(translation === '' || from === to ? [] : [line(translation, to, 'translation')]),
    )
    if (final) this.#tell(name, mine ? text : translation || text, mine ? from : to)
    list.scrollTop = list.scrollHeight
  }

  #add(utterance: string, name: string): HTMLLIElement {
    this.#leaveBehind(name)
    const item = made('li')
    item.dataset.who = name
    this.#items.set(utterance, item)
    list.append(item)
    if (this.#items.size > MOST) {
      const [oldest, first] = this.#items.entries().next().value!
      first.remove()
      this.#items.delete(oldest)
    }
    return item
  }

  /**
   * A speaker’s new utterance ends their draft, even if that never became final. A later update makes it a draft
   * again.
   */
  #leaveBehind(name: string): void {
    for (const draft of list.querySelectorAll<HTMLLIElement>('.draft'))
      if (draft.dataset.who === name) draft.classList.remove('draft')
  }

  #tell(name: string, text: string, language: string): void {
    const told = line(`${name}: ${text}`, language, 'told')
    aloud.append(told)
    while (aloud.childElementCount > 10) aloud.firstElementChild?.remove()
  }
}

function line(text: string, language: string, kind: string): HTMLParagraphElement {
  const one = made('p', text, kind)
  one.lang = language
  one.dir = 'auto'
  return one
}
