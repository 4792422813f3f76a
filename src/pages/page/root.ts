/**
 * Resolves a path of the bridge, such as `talk/socket`, below the site’s prefix and any path added by a proxy. The
 * document carries the relative root.
 */
export function fromRoot(path: string): URL {
  const { pathname, origin } = location
  return new URL((document.documentElement.dataset.root ?? '/') + path, origin + pathname)
}
