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
 * Resolves a path of the bridge, such as `talk/socket`, below the site’s prefix and any path added by a proxy. The
 * document carries the relative root.
 */
export function fromRoot(path: string): URL {
  const { pathname, origin } = location
  return new URL((document.documentElement.dataset.root ?? '/') + path, origin + pathname)
}
