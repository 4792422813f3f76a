/** Actual destination of requests for a public URL. */
export interface Route {
  /** The URL to connect to; its scheme selects TLS. */
  readonly target: URL
  /** Headers for the route: the public host, or the headers that a proxy adds. */
  readonly headers: Readonly<Record<string, string>>
}

export interface RouteOptions {
  /** The bridge's public address, `https://bridge.example.com`, as configured there; a path in it is stripped from requests. */
  publicUrl: string | undefined
  /** Actual address of the bridge, `http://127.0.0.1:8080`. */
  localUrl: string
  /** Further public hosts and their actual addresses: `{ 'other.example.com': 'http://127.0.0.1:8081' }`. */
  resolve: Readonly<Record<string, string>>
  /** Simulates a reverse proxy: the host header is the inner one, and `x-forwarded-…` name the outer one. */
  proxied: boolean
}

/**
 * Returns the route to `publicUrl` (http, https, ws or wss): known public hosts resolve to their local address. Throws
 * TypeError for an invalid URL.
 */
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

/** Like `routeTo`, for an address from outside; undefined for an invalid URL. `webhook`: the actual address of the bridge. */
export function routeOf(
  publicUrl: string,
  { webhook, ...options }: Omit<RouteOptions, 'localUrl'> & { readonly webhook: string },
): Route | undefined {
  return URL.canParse(publicUrl) ? routeTo(publicUrl, { ...options, localUrl: webhook }) : undefined
}

/** True if the route ends on this machine. */
export function isLoopback({ target }: Route): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(target.hostname)
}

/** The path as the bridge sees it: a proxy strips that of the public address. */
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
