/** Returns the service's base address (`http(s)`) without a trailing slash. Throws for any other URL. */
export function baseUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new RangeError(`the service's address is http:// or https://, got "${url}"`)
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}

/** Returns the current address of a service whose address can change. */
export function currentUrl(url: string | (() => string)): string {
  return typeof url === 'string' ? url : url()
}

/** Returns `path` if it can be the path of Socket.IO. Throws for any other value. */
export function socketPath(path: string | undefined): string | undefined {
  if (path === undefined || /^\/[^?#\s]*$/.test(path)) return path
  throw new RangeError(`socketPath is a path like /translate/socket.io/, got "${path}"`)
}

/** Address of a namespace, in the form that Socket.IO's client takes. */
export interface NamespaceAddress {
  readonly url: string
  /** Path of Socket.IO; undefined: the library's, `/socket.io/`. */
  readonly path: string | undefined
  /** Advice when the connection fails, for an address with a path: Socket.IO might be below it. */
  readonly hint: string | undefined
}

/**
 * Returns the address of `namespace` at the service `base`. The interface writes it as `{base_url}/<namespace>`, and
 * Socket.IO reads the path of an address as the name of a namespace: `https://host/translate/sts` is the namespace
 * `/translate/sts` at `https://host/socket.io/`. If a proxy serves Socket.IO itself below a path instead, `path` is that
 * of Socket.IO, and the namespaces have their own names.
 */
export function socketAddress(base: string, namespace: string, path: string | undefined): NamespaceAddress {
  const { origin, pathname } = new URL(base)
  if (path !== undefined) return { url: `${origin}${namespace}`, path, hint: undefined }
  const prefix = pathname.replace(/\/+$/, '')
  return {
    url: `${base}${namespace}`,
    path: undefined,
    hint:
      prefix === ''
        ? undefined
        : `the namespace ${prefix}${namespace} was requested at ${origin}/socket.io/; if Socket.IO is below the path, set socketPath to ${prefix}/socket.io/`,
  }
}
