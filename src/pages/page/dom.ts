import { shortLanguageName } from './languages.ts'

/** Returns the element with this id and type; throws if the page has none. */
export function element<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new TypeError(
    `the page has ${found ? `a ${found.tagName}` : 'nothing'} as #${id}, not a ${kind.name}`,
  )
}

/** Creates an element with `text` (never parsed as HTML) and classes. */
export function made<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = '',
  ...classes: readonly string[]
): HTMLElementTagNameMap[K] {
  const one = document.createElement(name)
  one.textContent = text
  one.classList.add(...classes)
  return one
}

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
  const options = all.map(id => option(id, shortLanguageName(id, all)))
  select.replaceChildren(...(none === undefined ? [] : [option('', none)]), ...options)
  select.value = wanted
}

function option(value: string, text: string): HTMLOptionElement {
  const one = made('option', text)
  one.value = value
  return one
}

/**
 * Resolves a path of the bridge, such as `talk/socket`, below the site’s prefix and any path added by a proxy. The
 * document carries the relative root.
 */
export function fromRoot(path: string): URL {
  const { pathname, origin } = location
  return new URL((document.documentElement.dataset.root ?? '/') + path, origin + pathname)
}
