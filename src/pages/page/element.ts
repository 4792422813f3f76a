/** The element of this id, which is of this kind. Throws where the page has no such one. */
export function element<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new TypeError(
    `the page has ${found ? `a ${found.tagName}` : 'nothing'} as #${id}, not a ${kind.name}`,
  )
}

/** A new element with `text` in it, never as HTML, and classes. */
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
