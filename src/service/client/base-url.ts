/** Sockets speak `http(s)`; the service's base address without a trailing slash. Throws on anything else. */
export function baseUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new RangeError(`the service's address is http:// or https://, got "${url}"`)
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}
