import { made } from '../../../pages/page/element.ts'
import { languageTag } from '../../../pages/page/language-names.ts'
import type { Line } from './shown-lines.ts'

/** More captions at once are a replay, of which only the end is read out. */
const MOST_AT_ONCE = 3
const TOGETHER_MS = 250
const KEPT = 10

/** Lets screen readers read complete utterances, each once. */
export class Aloud {
  readonly #region: HTMLElement
  #waiting: { readonly who: string; readonly lines: readonly Line[] }[] = []
  #timer = 0

  constructor(region: HTMLElement) {
    this.#region = region
  }

  say(who: string, lines: readonly Line[]): void {
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
