import { languageTag, sameLanguage } from '../../../common/language.ts'
import { hearable, shortLanguageName, translated } from '../../../pages/page/languages.ts'
import type { OfferedLanguage } from '../service-catalog.ts'

/** What a visitor speaks and hears before they choose anything. */
export interface MyLanguage {
  /** A language that the service understands; '' if it understands none. */
  readonly speaks: string
  /** Language they hear others in; usually the one they speak. */
  readonly hears: string
  /** Tag of the browser's language, if the service does not understand it. */
  readonly lacking?: string
}

/**
 * Chooses the language of a visitor: the one they `kept`, else the first of the `browser`'s languages that the service
 * understands, else `fallback`. If it does not understand their first one but can speak it, they hear others in it.
 */
export function myLanguage(
  languages: readonly OfferedLanguage[],
  browser: readonly string[],
  { kept, fallback }: { readonly kept?: string | undefined; readonly fallback: string },
): MyLanguage {
  const heard = languages.filter(each => each.heard).map(({ id }) => id)
  if (kept !== undefined && heard.includes(kept)) return { speaks: kept, hears: kept }
  const first = browser[0]
  const native = browser.map(tag => like(heard, tag)).find(id => id !== undefined)
  const speaks = native ?? (heard.includes(fallback) ? fallback : (heard[0] ?? ''))
  if (first === undefined || (native !== undefined && sameLanguage(native, first.toLowerCase())))
    return { speaks, hears: speaks }
  const spoken = hearable(languages).map(({ id }) => id)
  return { speaks, hears: like(spoken, first) ?? speaks, lacking: first }
}

/** Returns the language of `ids` for a browser's tag: the same region, else any. */
function like(ids: readonly string[], tag: string): string | undefined {
  const wanted = tag.toLowerCase()
  return ids.find(id => id === wanted) ?? ids.find(id => sameLanguage(id, wanted))
}

/** Returns the languages in which someone who speaks `mine` can hear themselves: those that are not theirs. */
export function echoes<L extends OfferedLanguage>(languages: readonly L[], mine: string): L[] {
  return translated(languages, mine).filter(({ id }) => !sameLanguage(id, mine))
}

/** Returns the own name of a language, as it starts a line: `es-es` → `Español`, among variants `Español (España)`. */
export function ownName(language: string, offered: readonly string[] = []): string {
  const [base = language] = language.split('-')
  const variants = new Set(offered.filter(each => sameLanguage(each, language)))
  const tag = variants.size > 1 ? languageTag(language) : base
  try {
    const options = { type: 'language', languageDisplay: 'standard', style: 'short' } as const
    const name = new Intl.DisplayNames([languageTag(language)], options).of(tag) ?? language
    return name.charAt(0).toLocaleUpperCase(languageTag(language)) + name.slice(1)
  } catch {
    return language
  }
}

/** Returns the name of a language in that of the page, without its region: `es-es` → `Spanish`. */
export function nameIn(tag: string): string {
  return shortLanguageName(tag.toLowerCase(), [], document.documentElement.lang)
}

/** A person's languages, as far as known. */
interface Person {
  readonly speaks?: string
  readonly hears?: string
}

/**
 * Returns the language of a room in which nothing is translated: the one that everyone speaks and hears; undefined if
 * there are several, or one person.
 */
export function onlyLanguage(people: readonly Person[]): string | undefined {
  if (people.length < 2) return undefined
  const all = people.flatMap(({ speaks, hears }) => [speaks, hears].filter(each => each !== undefined))
  const [first] = all
  return first !== undefined && all.every(each => sameLanguage(each, first)) ? first : undefined
}
