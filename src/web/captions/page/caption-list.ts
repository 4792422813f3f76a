import { languageTag } from '../../../common/language.ts'
import { made } from '../../../pages/page/dom.ts'
import { type CaptionStore, type CaptionText, type Entry, shownLines, type Wish } from './caption-store.ts'
import { say } from './words.ts'

/** More captions at once are a replay, of which only the end is read out. */
const MOST_AT_ONCE = 3
const TOGETHER_MS = 250
const KEPT = 10

/** Lets screen readers read complete utterances, each once. */
export class ScreenReader {
  readonly #region: HTMLElement
  #waiting: { readonly who: string; readonly lines: readonly CaptionText[] }[] = []
  #timer = 0

  constructor(region: HTMLElement) {
    this.#region = region
  }

  say(who: string, lines: readonly CaptionText[]): void {
    if (lines.length === 0) return
    this.#waiting.push({ who, lines })
    this.#timer ||= setTimeout(() => this.#speak(), TOGETHER_MS)
  }

  #speak(): void {
    this.#timer = 0
    for (const { who, lines } of this.#waiting.slice(-MOST_AT_ONCE)) {
      const one = made('div')
      one.append(made('bdi', `${who}: `))
      for (const { text, language } of lines) {
        const line = made('p', text)
        line.lang = languageTag(language)
        one.append(line)
      }
      this.#region.append(one)
    }
    this.#waiting = []
    while (this.#region.childElementCount > KEPT) this.#region.firstElementChild?.remove()
  }
}

/** Maximum number of captions on the page while it follows; more after scrolling up. */
const SHOWN = 120
const MORE = 120
const MOST_SHOWN = 600
/** Colors of names. */
const VOICES = 8
/** This close to the end counts as the end (px). */
const NEAR = 48

interface Shown {
  readonly entry: Entry
  readonly lines: readonly CaptionText[]
}

export interface CaptionListOptions {
  /** The scrolling element. */
  readonly stage: HTMLElement
  readonly list: HTMLOListElement
  readonly book: CaptionStore
  readonly wish: () => Wish
  /** Called after each change of the view. */
  readonly onView: (view: View) => void
}

export interface View {
  readonly following: boolean
  /** Number of captions below the visible ones. */
  readonly newer: number
  /** There are captions above. */
  readonly earlier: boolean
  readonly empty: boolean
}

/**
 * The captions as a list, newest at the bottom. At the bottom, the list follows new captions. Scrolling up pauses it:
 * visible captions still update, and new ones are added below. The number of elements on the page is limited.
 */
export class CaptionList {
  readonly #options: CaptionListOptions
  readonly #items = new Map<string, { readonly element: HTMLLIElement; said: string }>()
  #following = true
  #first = ''
  #last = ''
  #frame = 0

  constructor(options: CaptionListOptions) {
    this.#options = options
    const { stage } = options
    // Scrolling elements must be reachable by keyboard.
    stage.tabIndex = 0
    stage.addEventListener('scroll', () => this.#scrolled(), { passive: true })
    new ResizeObserver(() => this.#following && this.#toEnd()).observe(stage)
  }

  /** Renders changes in the next frame. */
  changed(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      this.#render()
    })
  }

  /** Scrolls to the newest caption and follows again. */
  follow(): void {
    this.#following = true
    this.#render()
  }

  /** Shows some earlier captions without moving the view. */
  earlier(): void {
    this.#following = false
    const all = this.#all()
    const at = Math.max(0, this.#index(all, this.#first) - MORE)
    this.#first = all[at]?.entry.key ?? ''
    this.#last = all[Math.min(all.length - 1, at + MOST_SHOWN - 1)]?.entry.key ?? ''
    this.#render()
  }

  /** Changes size or lines of the captions and keeps the reader’s position. */
  restyle(change: () => void): void {
    if (this.#following) {
      change()
      this.#toEnd()
    } else this.#still(change)
  }

  #render(): void {
    const all = this.#all()
    const shown = this.#following ? all.slice(-SHOWN) : this.#window(all)
    this.#first = shown[0]?.entry.key ?? ''
    this.#last = shown.at(-1)?.entry.key ?? ''
    const newer = all.length - 1 - this.#index(all, this.#last, all.length - 1)
    const earlier = shown.length > 0 && shown[0] !== all[0]
    const view = { following: this.#following, newer, earlier, empty: all.length === 0 }
    this.restyle(() => {
      this.#put(shown)
      // Elements next to the captions move them too.
      this.#options.onView(view)
    })
  }

  #all(): Shown[] {
    const { book, wish } = this.#options
    const wanted = wish()
    return book.entries
      .map(entry => ({ entry, lines: shownLines(entry, book.leads(entry), wanted) }))
      .filter(({ lines }) => lines.length > 0)
  }

  #window(all: readonly Shown[]): readonly Shown[] {
    const from = this.#index(all, this.#first)
    return all.slice(from, this.#index(all, this.#last, all.length - 1) + 1)
  }

  #index(all: readonly Shown[], key: string, fallback = 0): number {
    const at = all.findIndex(({ entry }) => entry.key === key)
    return at < 0 ? fallback : at
  }

  #put(shown: readonly Shown[]): void {
    const { list } = this.#options
    const keys = new Set(shown.map(({ entry }) => entry.key))
    for (const [key, { element }] of this.#items)
      if (!keys.has(key)) {
        element.remove()
        this.#items.delete(key)
      }
    let before: Element | null = null
    for (const each of shown) {
      const element = this.#item(each)
      const next: Element | null = before ? before.nextElementSibling : list.firstElementChild
      if (next !== element) list.insertBefore(element, next)
      before = element
    }
  }

  #item({ entry, lines }: Shown): HTMLLIElement {
    const { book } = this.#options
    const grows = book.grows(entry)
    const said = JSON.stringify([entry, grows, lines])
    const item = this.#items.get(entry.key) ?? { element: document.createElement('li'), said: '' }
    if (item.said === said) return item.element
    item.said = said
    const { element } = item
    element.className = `caption voice-${book.voiceOf(entry.speaker) % VOICES}${grows ? ' growing' : ''}`
    const who = made('bdi', speakerName(book, entry), 'who')
    const texts = lines.map(({ language, text, kind }, index) => {
      const line = made(
        'p',
        entry.final || grows ? text : `${text} …`,
        kind,
        ...(index === 0 ? ['first'] : []),
      )
      line.lang = languageTag(language)
      line.dir = 'auto'
      return line
    })
    element.replaceChildren(who, ...texts)
    this.#items.set(entry.key, item)
    return element
  }

  #scrolled(): void {
    const following = this.#fromEnd() < NEAR
    if (following === this.#following) return
    this.#following = following
    this.changed()
  }

  #fromEnd(): number {
    const { stage } = this.#options
    return stage.scrollHeight - stage.clientHeight - stage.scrollTop
  }

  #toEnd(): void {
    const { stage } = this.#options
    stage.scrollTop = stage.scrollHeight
  }

  /** Applies a change and keeps the first visible caption in place. */
  #still(change: () => void): void {
    const { stage, list } = this.#options
    const top = stage.getBoundingClientRect().top
    const anchor = Array.from(list.children).find(each => each.getBoundingClientRect().bottom > top)
    const was = anchor?.getBoundingClientRect().top ?? 0
    change()
    if (anchor?.isConnected) stage.scrollTop += anchor.getBoundingClientRect().top - was
  }
}

/** Returns the name of a speaker: their own, or a number. */
export function speakerName(book: CaptionStore, { speaker, name }: Entry): string {
  const known = name ?? book.nameOf(speaker)
  if (known !== undefined) return known
  return speaker === 'system' ? say('announcement') : say('speaker', book.voiceOf(speaker) + 1)
}
