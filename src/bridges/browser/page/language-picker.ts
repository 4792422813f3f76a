import { sameLanguage } from '../../../common/language.ts'
import { element, fromRoot } from '../../../pages/page/dom.ts'
import { hearable, shortLanguageName } from '../../../pages/page/languages.ts'
import type { SelfView } from '../protocol.ts'
import type { CatalogVoice, ServiceCatalog } from '../service-catalog.ts'
import { echoes, type MyLanguage, myLanguage, nameIn, ownName } from './my-language.ts'
import { pageLanguage, say } from './words.ts'

/**
 * Fetches the available choices for the holder of `link`. Retries until the service responds, and calls `waits` after
 * each failure.
 */
export async function fetchCatalog(link: string | undefined, waits: () => void): Promise<Catalog> {
  for (;;) {
    try {
      const headers: Record<string, string> = link === undefined ? {} : { authorization: `Bearer ${link}` }
      const answer = await fetch(fromRoot('talk/languages'), { headers })
      if (answer.ok) {
        const found = (await answer.json()) as Catalog
        const recordings = found.recordings.map(each => ({
          ...each,
          url: new URL(each.url, answer.url).href,
        }))
        const ids = found.languages.map(({ id }) => id)
        const languages = found.languages.map(each => ({
          ...each,
          name: shortLanguageName(each.id, ids, pageLanguage),
        }))
        return { ...found, languages, recordings }
      }
    } catch {
      // The server or the network is unavailable.
    }
    waits()
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}

/** Response of `/talk/languages`. */
export interface Catalog extends ServiceCatalog {
  readonly defaults: { readonly speaks: string; readonly hears: string }
  /** Address of the dashboard, if there is one. */
  readonly dashboard?: string
  /** The visitor is on the server’s own machine, and can improve it. */
  readonly operator?: boolean
  /** Visitors without a link or a code are admitted. */
  readonly welcome: boolean
  /** The given link belongs to a room. */
  readonly invited: boolean
  /** Name of the creator of the link, if known, and names of the participants in the call. */
  readonly inviter?: string
  readonly present?: readonly string[]
  readonly recordings: readonly { readonly url: string; readonly language: string; readonly text: string }[]
}

/** What the visitor has chosen, stored in this browser. */
interface Kept {
  mine?: string
  /** By the language the voice speaks. */
  voices: Record<string, string>
}

const KEPT = 'dragoman.talk'

const speaks = element('speaks', HTMLSelectElement)
const hears = element('hears', HTMLSelectElement)
const voice = element('voice', HTMLSelectElement)
const echoIn = element('echo-in', HTMLSelectElement)
const echo = element('echo', HTMLButtonElement)
const hint = element('hint', HTMLElement)
const options = element('options', HTMLDetailsElement)

/**
 * One question: the visitor's language, which they speak and hear. Behind it, for those who want it: another language to
 * hear, its voice, and their own voice in another language while they are alone.
 */
export class Choices {
  readonly #catalog: Catalog
  readonly #kept: Kept
  readonly #start: MyLanguage
  #speaks: string
  #hears: string
  /** They hear themselves in the language of `echoIn` while they are alone. */
  #echo = false

  /** Calls `changed` after each choice. */
  constructor(catalog: Catalog, changed: () => void) {
    const { languages, defaults } = catalog
    this.#catalog = catalog
    this.#kept = read()
    this.#start = myLanguage(languages, navigator.languages, {
      kept: this.#kept.mine,
      fallback: defaults.speaks,
    })
    this.#speaks = this.#start.speaks
    this.#hears = this.#start.hears
    const heard = languages.filter(each => each.heard)
    fill(speaks, named(heard))
    speaks.addEventListener('change', () => {
      this.#hears = this.#speaks = this.#kept.mine = speaks.value
      this.#changed(changed)
    })
    hears.addEventListener('change', () => {
      this.#hears = hears.value
      this.#changed(changed)
    })
    echoIn.addEventListener('change', () => this.#echo && this.#changed(changed))
    voice.addEventListener('change', () => {
      if (voice.value === '') delete this.#kept.voices[this.#audible]
      else this.#kept.voices[this.#audible] = voice.value
      this.#changed(changed)
    })
    this.#show()
  }

  /** The choices in the server’s format. */
  get wanted(): { speaks: string; hears: string; alone: string; voices: Record<string, string> } {
    const { voices } = this.#kept
    return { speaks: this.#speaks, hears: this.#hears, alone: this.#audible, voices }
  }

  /** From the next call on, until `false`: alone in the call, they hear themselves translated. */
  echo(on: boolean): void {
    this.#echo = on && echoIn.value !== ''
  }

  get echoing(): boolean {
    return this.#echo
  }

  /** Applies the current company, and changes made by others. */
  fit(now: SelfView): void {
    this.#speaks = now.speaks ?? this.#speaks
    this.#hears = now.company
    if (this.#echo && now.alone !== now.company) echoIn.value = now.alone
    this.#show()
  }

  /** Language they hear while they are alone. */
  get #audible(): string {
    return this.#echo ? echoIn.value : this.#hears
  }

  #changed(changed: () => void): void {
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.#kept))
    } catch {
      // Storage is blocked: choices are not remembered.
    }
    this.#show()
    changed()
  }

  #show(): void {
    const { languages, voices } = this.#catalog
    speaks.value = this.#speaks
    const mine = languages.find(({ id }) => id === this.#speaks)
    fill(hears, [
      ...(mine ? [{ id: mine.id, name: say('hearMine', ownName(mine.id)) }] : []),
      ...named(hearable(languages).filter(({ id }) => id !== this.#speaks)),
    ])
    hears.value = this.#hears
    fill(echoIn, named(echoes(languages, this.#speaks)))
    if (echoIn.selectedIndex < 0) echoIn.selectedIndex = 0
    echo.disabled = echoIn.options.length === 0
    const own = voices.filter(({ language }) => language === this.#audible)
    fill(voice, [{ id: '', name: say('anyVoice') }, ...voiceOptions(own)])
    voice.value = this.#kept.voices[this.#audible] ?? ''
    voice.disabled = own.length === 0
    hint.textContent = this.#hint()
    // What they hear is shown where they can change it.
    if (!sameLanguage(this.#speaks, this.#hears)) options.open = true
  }

  #hint(): string {
    const { lacking, speaks: first, hears: audible } = this.#start
    if (lacking === undefined || this.#speaks !== first) return say('myLanguageHint')
    const name = nameIn(lacking)
    if (sameLanguage(audible, first)) return say('unoffered', name, nameIn(first))
    return say('unofferedHeard', name, nameIn(first))
  }
}

/** Returns the options of languages, each by its own name. */
function named(languages: readonly { readonly id: string }[]): { id: string; name: string }[] {
  const ids = languages.map(({ id }) => id)
  return ids
    .map(id => ({ id, name: ownName(id, ids) }))
    .sort((a, b) => a.name.localeCompare(b.name, pageLanguage))
}

/**
 * Returns the options of voices of one language: their names with their gender. Those whose name only describes them, in
 * English, are called by their language in that of the page, and counted.
 */
function voiceOptions(voices: readonly CatalogVoice[]): { id: string; name: string }[] {
  const described = { M: 0, F: 0 }
  return voices.map(({ id, name, gender, language }) => {
    if (!/male\b/i.test(name)) return { id, name: say(`${gender}-voice`, name) }
    const count = ++described[gender]
    const label = say(`${gender}-voice`, nameIn(language))
    return { id, name: count === 1 ? label : `${label} ${count}` }
  })
}

function read(): Kept {
  try {
    const { mine, voices = {} } = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<Kept>
    return { ...(mine === undefined ? {} : { mine }), voices }
  } catch {
    return { voices: {} }
  }
}

/** Replaces the options of a select if they differ. */
function fill(select: HTMLSelectElement, options: readonly { id: string; name: string }[]): void {
  const there = Array.from(select.options, ({ value, textContent }) => `${value} ${textContent}`)
  if (there.join() === options.map(({ id, name }) => `${id} ${name}`).join()) return
  const before = select.value
  select.replaceChildren(...options.map(({ id, name }) => new Option(name, id)))
  select.value = before
}
