import { made } from './element.ts'
import { languageName } from './language-names.ts'

/**
 * Fills `select` with languages, with `none` first if given. `wanted` is selected, and included even if it is not
 * offered.
 */
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

function option(value: string, text: string): HTMLOptionElement {
  const one = made('option', text)
  one.value = value
  return one
}
