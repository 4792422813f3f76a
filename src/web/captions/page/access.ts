/** What lets a reader in. */
export type Access =
  /** A link to the captions of one room. */
  | { readonly kind: 'link'; readonly secret: string }
  /** A key of the control API. */
  | { readonly kind: 'key'; readonly secret: string }

/** The key that was typed in, kept for this tab until it is closed; the same as on the dashboard. */
const STORED = 'dragoman.key'

/** The room that the address names; '' for none. */
export function roomOf(pathname: string): string {
  const part = /^\/captions\/([^/]+)$/.exec(pathname)?.[1]
  if (part === undefined) return ''
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** What the address has behind `#`: a token or a key, and wishes. */
export function fragment(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ''))
}

export function accessOf(said: URLSearchParams): Access | undefined {
  const token = said.get('token')
  if (token) return { kind: 'link', secret: token }
  const key = said.get('key')
  if (key) storeKey(key)
  const secret = key || storedKey()
  return secret ? { kind: 'key', secret } : undefined
}

export function storeKey(key: string): void {
  try {
    sessionStorage.setItem(STORED, key)
  } catch {
    // A browser that keeps nothing asks again.
  }
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(STORED)
  } catch {
    // It was not kept.
  }
}

function storedKey(): string {
  try {
    return sessionStorage.getItem(STORED) ?? ''
  } catch {
    return ''
  }
}

/** The header that carries it. */
export function authorization({ secret }: Access): { readonly authorization: string } {
  return { authorization: `Bearer ${secret}` }
}
