import { primaryLanguage, sameLanguage } from '../../../common/language.ts'
import { element, fromRoot } from '../../../pages/page/dom.ts'
import { hearable, shortLanguageName, translated } from '../../../pages/page/languages.ts'
import type { SelfView } from '../protocol.ts'
import type { OfferedVoice, ServiceCatalog } from '../service-catalog.ts'
import { type PlainWords, say } from './words.ts'

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
        // A service that does not name its languages reports their IDs as names.
        const ids = found.languages.map(({ id }) => id)
        const languages = found.languages.map(each =>
          each.name === each.id ? { ...each, name: shortLanguageName(each.id, ids) } : each,
        )
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
  /** Visitors without a link or a code are admitted. */
  readonly welcome: boolean
  /** The given link belongs to a room. */
  readonly invited: boolean
  /** Name of the creator of the link, if known, and names of the participants in the call. */
  readonly inviter?: string
  readonly present?: readonly string[]
  readonly recordings: readonly { readonly url: string; readonly language: string; readonly text: string }[]
}

/** The user’s choices, stored in this browser. */
interface Chosen {
  speaks: string
  alone: string
  /** Absent: the language they speak. */
  company?: string
  /** By the language the voice speaks. */
  voices: Record<string, string>
}

const KEPT = 'dragoman.talk'

const speaks = element('speaks', HTMLSelectElement)
const hears = element('hears', HTMLSelectElement)
const voice = element('voice', HTMLSelectElement)
const hint = element('hint', HTMLElement)
const few = element('few-languages', HTMLElement)
const engines = element('engines', HTMLElement)

/** Someone who starts a call, who joins one by a link, or who only listens to one. */
export type Visitor = 'host' | 'guest' | 'listener'

/** The three selects: the language spoken, the language heard (alone or in company) and the voice. */
export class Choices {
  readonly #catalog: Catalog
  readonly #chosen: Chosen
  #company: boolean

  /** Calls `changed` after each choice. */
  constructor(catalog: Catalog, visitor: Visitor, changed: () => void) {
    this.#catalog = catalog
    this.#company = visitor !== 'host'
    this.#chosen = startWith(catalog, visitor !== 'host')
    fill(
      speaks,
      catalog.languages.filter(({ heard }) => heard),
    )
    speaks.addEventListener('change', () => {
      this.#chosen.speaks = speaks.value
      const ids = translated(catalog.languages, speaks.value).map(({ id }) => id)
      if (!ids.includes(this.#chosen.alone)) this.#chosen.alone = ids[0] ?? speaks.value
      this.#changed(changed)
    })
    hears.addEventListener('change', () => {
      if (this.#company) this.#chosen.company = hears.value
      else this.#chosen.alone = hears.value
      this.#changed(changed)
    })
    voice.addEventListener('change', () => {
      if (voice.value === '') delete this.#chosen.voices[hears.value]
      else this.#chosen.voices[hears.value] = voice.value
      this.#changed(changed)
    })
    this.#showFew()
    this.#showEngines()
    this.#show()
  }

  /** The choices in the server’s format. */
  get wanted(): { speaks: string; hears: string; alone: string; voices: Record<string, string> } {
    const { speaks, alone, company = speaks, voices } = this.#chosen
    return { speaks, hears: company, alone, voices }
  }

  /** Applies the current company, and changes made by others. */
  fit(now: SelfView): void {
    this.#company = now.accompanied
    this.#chosen.speaks = now.speaks ?? this.#chosen.speaks
    this.#chosen.alone = now.alone
    if (now.company === this.#chosen.speaks) delete this.#chosen.company
    else this.#chosen.company = now.company
    this.#show()
  }

  #changed(changed: () => void): void {
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.#chosen))
    } catch {
      // Storage is blocked: choices are not remembered.
    }
    this.#show()
    changed()
  }

  #show(): void {
    const { speaks: mine, alone, company = mine, voices } = this.#chosen
    const { languages, voices: all } = this.#catalog
    speaks.value = mine
    fill(hears, this.#company ? hearable(languages) : translated(languages, mine))
    hears.value = this.#company ? company : alone
    const own = all.filter(({ language }) => language === hears.value)
    fill(voice, [{ id: '', name: say('anyVoice') }, ...own.map(voiceOption)])
    voice.value = voices[hears.value] ?? ''
    voice.disabled = own.length === 0
    hint.textContent = say(this.#hint)
  }

  /** Explains a choice of languages so short that it looks like a bug. */
  #showFew(): void {
    const heard = this.#catalog.languages.filter(({ heard }) => heard)
    few.hidden = new Set(heard.map(({ id }) => primaryLanguage(id))).size > 1
    few.textContent = say('leadOne', heard.map(({ name }) => name).join(', '))
  }

  /** Says what the service can do, and by which engines. */
  #showEngines(): void {
    const { engines: names = [], languages } = this.#catalog
    const spoken = new Set(languages.filter(({ heard }) => heard).map(({ name }) => name.split(' (', 1)[0]!))
    engines.hidden = names.length === 0 || spoken.size === 0
    engines.textContent = say('engines', names.join(', '))
  }

  get #hint(): PlainWords {
    return this.#company ? 'guestHint' : 'echoHint'
  }
}

function startWith({ languages, defaults }: Catalog, guest: boolean): Chosen {
  const heard = languages.filter(language => language.heard).map(({ id }) => id)
  const kept = read()
  const browser = navigator.languages.map(tag => tag.toLowerCase())
  const native = browser.map(tag => heard.find(id => id === tag || sameLanguage(id, tag))).find(Boolean)
  const one = (of: readonly string[], ...wanted: readonly (string | undefined)[]) =>
    wanted.find(id => id !== undefined && of.includes(id)) ?? of[0] ?? ''
  const speaks = one(heard, kept?.speaks, guest ? native : undefined, defaults.speaks)
  const into = translated(languages, speaks).map(({ id }) => id)
  const alone = one(into, kept?.alone, defaults.hears, speaks)
  const company = kept?.company
  return {
    ...{ speaks, alone, voices: kept?.voices ?? {} },
    ...(company !== undefined && hearable(languages).some(({ id }) => id === company) ? { company } : {}),
  }
}

/** Returns the voice’s name, with its gender unless the name includes it. */
function voiceOption({ id, name, gender }: OfferedVoice): { id: string; name: string } {
  return { id, name: /male\b/i.test(name) ? name : say(`${gender}-voice`, name) }
}

function read(): Partial<Chosen> | undefined {
  try {
    return (JSON.parse(localStorage.getItem(KEPT) ?? 'null') as Partial<Chosen> | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Replaces the options of a select if they differ. */
function fill(select: HTMLSelectElement, options: readonly { id: string; name: string }[]): void {
  const there = Array.from(select.options, ({ value, textContent }) => `${value} ${textContent}`)
  if (there.join() === options.map(({ id, name }) => `${id} ${name}`).join()) return
  select.replaceChildren(...options.map(({ id, name }) => new Option(name, id)))
}
