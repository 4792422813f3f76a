/** Where the requests for a public URL really go. */
export interface Route {
  /** The URL to connect to; its scheme says whether with TLS. */
  readonly target: URL
  /** Headers that stand for the way there: the public host, or what a proxy adds. */
  readonly headers: Readonly<Record<string, string>>
}

export interface RouteOptions {
  /** The bridge's public address, `https://bridge.example.com`, as it is configured there; a path in it is stripped on the way. */
  publicUrl: string | undefined
  /** Where the bridge really is, `http://127.0.0.1:8080`. */
  localUrl: string
  /** Further public hosts and where they really are: `{ 'other.example.com': 'http://127.0.0.1:8081' }`. */
  resolve: Readonly<Record<string, string>>
  /** As through a reverse proxy: the host header is the inner one, and `x-forwarded-…` tell the outer. */
  proxied: boolean
}

/** The way to `publicUrl` (http, https, ws or wss): a known public host leads to its local address. Throws TypeError for no URL. */
export function routeTo(publicUrl: string, options: RouteOptions): Route {
  const url = new URL(publicUrl)
  const local = localFor(url, options)
  if (local === undefined) return { target: url, headers: { host: url.host } }
  const inner = new URL(local)
  const secure = inner.protocol === 'https:' || inner.protocol === 'wss:'
  const scheme = url.protocol.startsWith('ws') ? 'ws' : 'http'
  const target = new URL(
    `${scheme}${secure ? 's' : ''}://${inner.host}${innerPath(url, options)}${url.search}`,
  )
  if (!options.proxied) return { target, headers: { host: url.host } }
  const forwarded = {
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': url.host,
    'x-forwarded-proto': 'https',
  }
  return { target, headers: { host: inner.host, ...forwarded } }
}

/** As `routeTo`, for an address that came from outside; undefined for what is no URL. `webhook`: where the bridge really is. */
export function routeOf(
  publicUrl: string,
  { webhook, ...options }: Omit<RouteOptions, 'localUrl'> & { readonly webhook: string },
): Route | undefined {
  return URL.canParse(publicUrl) ? routeTo(publicUrl, { ...options, localUrl: webhook }) : undefined
}

/** The way leads to this machine. */
export function isLoopback({ target }: Route): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(target.hostname)
}

/** The path as the bridge has it: a proxy takes that of the public address away. */
function innerPath({ host, pathname }: URL, { publicUrl }: RouteOptions): string {
  const { host: known, pathname: base } = new URL(publicUrl ?? 'http://none')
  const prefix = base.replace(/\/+$/, '')
  return host === known && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}

function localFor(url: URL, { publicUrl, localUrl, resolve }: RouteOptions): string | undefined {
  const named = resolve[url.host] ?? resolve[url.hostname]
  if (named !== undefined) return named.includes('://') ? named : `http://${named}`
  return publicUrl !== undefined && new URL(publicUrl).host === url.host ? localUrl : undefined
}
