import { element, made } from '../../../pages/page/dom.ts'
import type { Outbound } from '../protocol.ts'
import type { KeptCaption } from './caption-file.ts'
import { say } from './words.ts'

type Caption = Extract<Outbound, { kind: 'caption' }>

/** Maximum number of captions shown. */
const MOST = 100

const list = element('captions', HTMLOListElement)
const empty = element('captions-empty', HTMLElement)
const page = element('captions-page', HTMLAnchorElement)
const aloud = element('captions-aloud', HTMLElement)
const latest = element('latest', HTMLButtonElement)
/** Distance from the end at which the reader still follows new captions (px). */
const AT_END = 40

/** Live captions in both languages. Screen readers announce only final ones. */
export class Captions {
  readonly #items = new Map<string, HTMLLIElement>()
  readonly #kept = new Map<string, KeptCaption>()
  readonly #drafts = new Map<string, KeptCaption>()
  readonly #startedAt = performance.now()
  #unread = 0

  constructor() {
    // The list scrolls, so it must be focusable.
    list.tabIndex = 0
    list.addEventListener('scroll', () => this.#isAtEnd && this.#follow())
    latest.addEventListener('click', () => this.#follow())
  }

  /** The final captions, with times since the page was opened. */
  get kept(): readonly KeptCaption[] {
    return Array.from(this.#kept.values())
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
    const atEnd = this.#isAtEnd
    const isNew = !this.#items.has(utterance)
    const item = this.#items.get(utterance) ?? this.#add(utterance, name)
    this.#keep(caption, name)
    item.className = `said${mine ? ' mine' : ''}${final ? '' : ' draft'}`
    item.replaceChildren(
      made('p', name, 'who'),
      ...(text === '' ? [] : [line(text, from, 'original')]),
      ...(translation === '' || from === to ? [] : [line(translation, to, 'translation')]),
    )
    if (final) this.#tell(name, mine ? text : translation || text, mine ? from : to)
    if (atEnd) this.#follow()
    else if (isNew) {
      this.#unread++
      latest.textContent = say('newCaptions', this.#unread)
      latest.hidden = false
    }
  }

  get #isAtEnd(): boolean {
    return list.scrollHeight - list.scrollTop - list.clientHeight < AT_END
  }

  #follow(): void {
    this.#unread = 0
    latest.hidden = true
    list.scrollTop = list.scrollHeight
  }

  #keep({ utterance, final, from, to, text = '', translation = '' }: Caption, name: string): void {
    const toMs = performance.now() - this.#startedAt
    const { fromMs = toMs } = this.#kept.get(utterance) ?? this.#drafts.get(utterance) ?? {}
    const kept = { name, text, translation: from === to ? '' : translation, fromMs, toMs }
    if (final) this.#kept.set(utterance, kept)
    else this.#drafts.set(utterance, kept)
    if (final) this.#drafts.delete(utterance)
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
