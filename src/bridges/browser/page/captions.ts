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
const roomNote = element('room-note', HTMLElement)
const pane = element('talk', HTMLElement)
/** Distance from the end at which the reader still follows new captions (px). */
const AT_END = 40

/** Sizes of captions, as factors of what fits the window; where the chosen one is kept. */
const SIZES = [0.7, 0.85, 1, 1.25, 1.5, 1.9, 2.4] as const
const KEPT_SIZE = 'dragoman.caption-size'

/** Live captions in both languages. Screen readers announce only final ones. */
export class Captions {
  readonly #items = new Map<string, HTMLLIElement>()
  readonly #kept = new Map<string, KeptCaption>()
  readonly #drafts = new Map<string, KeptCaption>()
  readonly #startedAt = performance.now()
  #unread = 0
  #size = keptSize()

  constructor() {
    // The list scrolls, so it must be focusable.
    list.tabIndex = 0
    list.addEventListener('scroll', () => this.#isAtEnd && this.#follow())
    latest.addEventListener('click', () => this.#follow())
    element('smaller', HTMLButtonElement).addEventListener('click', () => this.#resize(-1))
    element('larger', HTMLButtonElement).addEventListener('click', () => this.#resize(1))
    this.#resize(0)
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

  /** Says what is special about the room, such as that nothing is translated; '' for nothing. */
  note(text: string): void {
    roomNote.hidden = text === ''
    if (roomNote.textContent !== text) roomNote.textContent = text
    empty.hidden = text !== '' || this.#items.size > 0
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

  #resize(by: number): void {
    const atEnd = this.#isAtEnd
    const at = SIZES.findIndex(size => size >= this.#size)
    this.#size = SIZES[Math.max(0, Math.min(SIZES.length - 1, at + by))] ?? 1
    pane.style.setProperty('--captions', String(this.#size))
    if (atEnd) this.#follow()
    try {
      if (by !== 0) localStorage.setItem(KEPT_SIZE, String(this.#size))
    } catch {
      // Storage is blocked: the size is not remembered.
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

function keptSize(): number {
  try {
    return SIZES.find(size => size === Number(localStorage.getItem(KEPT_SIZE))) ?? 1
  } catch {
    return 1
  }
}
