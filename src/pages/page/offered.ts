import type { OfferedLanguage } from '../../web/dashboard/protocol.ts'
import { hearable, translated } from './hearable.ts'

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
