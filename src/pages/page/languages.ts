import { languageTag, type OfferedLanguage } from '../../common/language.ts'

/** Properties of a language: whether the service recognizes and speaks it, and its translation targets. */
interface Language {
  readonly id: string
  readonly heard: boolean
  readonly spoken: boolean
  readonly into: readonly string[]
}

/** Returns the languages that speech in `from` can be translated into and played in. */
export function translated<L extends Language>(languages: readonly L[], from: string): L[] {
  const { into = [] } = languages.find(({ id }) => id === from) ?? {}
  return languages.filter(({ id, spoken }) => spoken && into.includes(id))
}

/** Returns the languages in which any supported speaker is available, original or translated. */
export function hearable<L extends Language>(languages: readonly L[]): L[] {
  const speakers = languages.filter(({ heard }) => heard)
  return languages.filter(
    ({ id, heard, spoken }) => heard || (spoken && speakers.some(({ into }) => into.includes(id))),
  )
}

/** `en-us` → `English (United States)`, in the language `by`. */
export function languageName(language: string, by = 'en'): string {
  try {
    const options = { type: 'language', languageDisplay: 'standard', fallback: 'code' } as const
    return new Intl.DisplayNames(by, options).of(languageTag(language)) ?? language
  } catch {
    return language
  }
}

/**
 * `en-us` → `English`, or `English (US)` if `offered` has several variants of the language; in the language `by`, such
 * as its own.
 */
export function shortLanguageName(language: string, offered: readonly string[] = [], by = 'en'): string {
  const [base = language] = language.split('-')
  const variants = offered.filter(each => each.split('-')[0] === base)
  try {
    const options = {
      type: 'language',
      languageDisplay: 'standard',
      style: 'short',
      fallback: 'code',
    } as const
    const tag = variants.length > 1 ? languageTag(language) : base
    return new Intl.DisplayNames(by, options).of(tag) ?? language
  } catch {
    return language
  }
}

/** Languages offered if the service does not report its own. */
const COMMON: readonly string[] = [
  ...[
    'en-us',
    'en-gb',
    'es-es',
    'es-mx',
    'fr-fr',
    'de-de',
    'it-it',
    'pt-br',
    'pt-pt',
    'nl-nl',
    'pl-pl',
    'tr-tr',
  ],
  ...['uk-ua', 'ru-ru', 'ar-sa', 'hi-in', 'ja-jp', 'ko-kr', 'zh-cn'],
]

interface Languages {
  readonly languages: readonly OfferedLanguage[]
}

/** Languages that the service recognizes. */
export function heardOf({ languages }: Languages): readonly string[] {
  if (languages.length === 0) return COMMON
  return languages.filter(each => each.heard).map(each => each.id)
}

/** Languages with a voice. */
export function spokenOf({ languages }: Languages): readonly string[] {
  if (languages.length === 0) return COMMON
  return languages.filter(each => each.spoken).map(each => each.id)
}

/**
 * Returns the languages in which a participant who speaks `from`, or any language, can be heard: original or
 * translated.
 */
export function hearableOf({ languages }: Languages, from?: string): readonly string[] {
  if (languages.length === 0) return COMMON
  if (from === undefined) return hearable(languages).map(({ id }) => id)
  const into = new Set(translated(languages, from))
  return languages.filter(language => language.id === from || into.has(language)).map(({ id }) => id)
}
