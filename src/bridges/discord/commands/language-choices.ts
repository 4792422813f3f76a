import type { Clock } from '../../../common/clock.ts'
import {
  isLanguageId,
  type LanguageId,
  languageId,
  primaryLanguage,
  sameLanguage,
} from '../../../common/language.ts'
import type { Logger } from '../../../common/log.ts'
import type { CommandTexts } from '../../../messages/en/discord.ts'
import { languageOfLocale } from '../../../messages/locale.ts'
import { ServiceList } from '../service-list.ts'

/** Cache of the service's languages. */
export class LanguageList {
  readonly #cache: ServiceList<LanguageCapabilities>

  constructor(offer: LanguageOffer, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#cache = new ServiceList({ fetch: offer, accept: spelt, what: 'languages', clock, log })
  }

  /** Returns the newest known list. Without one, waits up to `waitMs` and may return undefined. Never rejects. */
  get(waitMs: number): Promise<readonly LanguageCapabilities[] | undefined> {
    return this.#cache.get(waitMs)
  }

  /** The newest known list, without waiting; empty before the first list. */
  get known(): readonly LanguageCapabilities[] {
    return this.#cache.known
  }

  /** Maps a guessed language to one of the service: itself, another region of the same language, or unchanged. */
  nearest(language: LanguageId): LanguageId {
    const { known } = this
    if (known.some(({ id }) => id === language)) return language
    const near = known.filter(({ id }) => sameLanguage(id, language))
    return (near.find(({ heard }) => heard) ?? near[0])?.id ?? language
  }
}

/** Normalizes the ID; drops entries with an invalid ID. */
function spelt(offered: LanguageCapabilities): LanguageCapabilities[] {
  try {
    const id = languageId(offered.id)
    return [id === offered.id ? offered : { ...offered, id }]
  } catch {
    return []
  }
}

/** Capabilities of the translation service for one language. */
export interface LanguageCapabilities {
  readonly id: LanguageId
  /** Speech recognition is available. */
  readonly heard: boolean
  /** A voice is available. */
  readonly spoken: boolean
}

/** Fetches the service's current languages. May reject. */
export type LanguageOffer = () => Promise<readonly LanguageCapabilities[]>

/** Cache size: Discord has about thirty locales, and a service about a hundred languages. */
const MOST = 300
const names = new Map<string, Intl.DisplayNames>()

/** Name of a language in `locale`: `es-es` is “Spanish (Spain)” in `en-US`. English if `locale` is unknown. */
export function languageName(id: LanguageId, locale: string): string {
  try {
    return namesIn(locale).of(id) ?? id
  } catch {
    return id
  }
}

/** Name of a language in the language itself: “español (España)”. */
export function nativeName(id: LanguageId): string {
  return languageName(id, id)
}

/** A list in the style of `locale`: “A, B and C”. */
export function joinedList(parts: readonly string[], locale: string): string {
  try {
    return new Intl.ListFormat(locale, { type: 'conjunction' }).format(parts)
  } catch {
    return parts.join(', ')
  }
}

function namesIn(locale: string): Intl.DisplayNames {
  const known = names.get(locale)
  if (known) return known
  const made = new Intl.DisplayNames([locale, 'en'], { type: 'language', languageDisplay: 'standard' })
  if (names.size < MOST) names.set(locale, made)
  return made
}

/** A choice as Discord shows it: up to 100 characters, and the value sent when it is chosen. */
export interface LanguageChoice {
  readonly name: string
  readonly value: LanguageId
}

/** Discord's maximum number of choices. */
const MOST_CHOICES = 25
const LONGEST = 100

/**
 * Returns choices for `typed`: languages by their name in the user's language, in English or in the language itself, or
 * by their code. The best match is first, then the user's own language. With purpose `speak`, languages without speech
 * recognition are last, with a note. With purpose `hear`, languages without a voice are omitted.
 */
export function languageChoices(
  typed: string,
  offered: readonly LanguageCapabilities[],
  {
    locale,
    purpose,
    words,
  }: { readonly locale: string; readonly purpose: 'speak' | 'hear'; readonly words: CommandTexts },
): LanguageChoice[] {
  const own = languageOfLocale(locale)
  const usable = offered.filter(each => purpose === 'speak' || each.spoken)
  return usable
    .map(each => ({ ...each, name: languageName(each.id, locale), rank: rankOf(each.id, typed, locale) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted(
      (a, b) =>
        (purpose === 'speak' ? Number(b.heard) - Number(a.heard) : 0) ||
        a.rank! - b.rank! ||
        Number(b.id === own) - Number(a.id === own) ||
        Number(sameLanguage(b.id, own)) - Number(sameLanguage(a.id, own)) ||
        Number(isUsual(b.id)) - Number(isUsual(a.id)) ||
        a.name.localeCompare(b.name),
    )
    .slice(0, MOST_CHOICES)
    .map(({ id, name, heard }) => ({
      name: label(name, id, purpose === 'speak' && !heard ? words.readOnly : undefined),
      value: id,
    }))
}

/** Returns the language meant by `text`, typed or chosen, or undefined if it is unclear. */
export function languageMeant(
  text: string,
  offered: readonly LanguageCapabilities[],
  locale: string,
): LanguageCapabilities | undefined {
  const id = text.trim().toLowerCase().replace('_', '-')
  const exact = offered.find(each => each.id === id)
  if (exact || isLanguageId(id) || id === '') return exact
  const near = offered.filter(each => rankOf(each.id, text, locale) === 0)
  const usual = /^[a-z]{2,3}$/.test(id) ? languageOfLocale(id) : undefined
  const own = languageOfLocale(locale)
  return (
    near.find(each => each.id === usual) ??
    near.find(each => each.id === own) ??
    near.find(each => isUsual(each.id)) ??
    near[0]
  )
}

/** Rank of a match: 0 exact, 3 a substring, undefined none. All typed words must match. */
function rankOf(id: LanguageId, typed: string, locale: string): number | undefined {
  const words = folded(typed)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  if (words.length === 0) return 0
  const keys = [languageName(id, locale), languageName(id, 'en'), nativeName(id)].map(folded)
  const whole = folded(typed).trim()
  const [primary, region] = id.split('-')
  if (id === whole || primary === whole) return 0
  if (keys.some(key => key === whole || key.split(' (')[0] === whole)) return 0
  let worst = 0
  for (const word of words) {
    const rank = keys.some(key => key.startsWith(word))
      ? 1
      : primary === word ||
          region === word ||
          keys.some(key => wordsOf(key).some(each => each.startsWith(word)))
        ? 2
        : keys.some(key => key.includes(word))
          ? 3
          : undefined
    if (rank === undefined) return undefined
    worst = Math.max(worst, rank)
  }
  return worst
}

function wordsOf(key: string): string[] {
  return key.split(/[^\p{L}\p{N}]+/u)
}

/** Returns whether its region is the most common one for the language. */
function isUsual(id: LanguageId): boolean {
  return languageOfLocale(primaryLanguage(id)) === id
}

/** Without accents, in lower case. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function label(name: string, id: LanguageId, note: string | undefined): string {
  const own = nativeName(id)
  const parts = [name, ...(folded(own) === folded(name) ? [] : [own]), note ?? id]
  const text = parts.join(' · ')
  return text.length <= LONGEST ? text : [...`${name} · ${id}`].slice(0, LONGEST).join('')
}
