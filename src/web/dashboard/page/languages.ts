import { made } from '../../../pages/page/element.ts'
import { languageName } from '../../captions/page/language-names.ts'
import type { Offer } from '../wire.ts'

/** What can be chosen where the service does not say what it has: it may have these. */
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

/** Fills `select` with languages, `none` first if it is given; `wanted` is chosen, and is there even if nobody offers it. */
export function fillLanguages(
  select: HTMLSelectElement,
  languages: readonly string[],
  wanted: string,
  none?: string,
): void {
  const all = wanted === '' || languages.includes(wanted) ? languages : [wanted, ...languages]
  const options = all.map(id => option(id, `${languageName(id)} (${id})`))
  select.replaceChildren(...(none === undefined ? [] : [option('', none)]), ...options)
  select.value = wanted
}

/** Those that the service understands. */
export function heardOf({ languages }: Offer): readonly string[] {
  if (languages.length === 0) return COMMON
  return languages.filter(each => each.heard).map(each => each.id)
}

/** Those that it speaks. */
export function spokenOf({ languages }: Offer): readonly string[] {
  if (languages.length === 0) return COMMON
  return languages.filter(each => each.spoken).map(each => each.id)
}

function option(value: string, text: string): HTMLOptionElement {
  const one = made('option', text)
  one.value = value
  return one
}
