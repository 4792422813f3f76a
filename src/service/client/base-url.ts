/** Returns the service's base address (`http(s)`) without a trailing slash. Throws for any other URL. */
export function baseUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new RangeError(`the service's address is http:// or https://, got "${url}"`)
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}
