/**
 * What the bridge has at `path`, like `talk/socket`: below whatever prefix the site around it gave it, and whatever path a proxy put
 * before that. The document says how it is seen from there.
 */
export function fromRoot(path: string): URL {
  const { pathname, origin } = location
  return new URL((document.documentElement.dataset.root ?? '/') + path, origin + pathname)
}
