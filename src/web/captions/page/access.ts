/** Authorization of a reader. */
export type Access =
  /** A link to the captions of one room. */
  | { readonly kind: 'link'; readonly secret: string }
  /** A key of the control API. */
  | { readonly kind: 'key'; readonly secret: string }

/** The key typed in, kept for this tab until it is closed; shared with the dashboard. */
const STORED = 'dragoman.key'

/** Returns the room in the path; '' if the path has no room. */
export function roomOf(pathname: string): string {
  const part = /^\/captions\/([^/]+)$/.exec(pathname)?.[1]
  if (part === undefined) return ''
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** Parses the fragment after `#`: a token or key, and preferences. */
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
    // Without storage, the page asks again.
  }
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(STORED)
  } catch {
    // There was no stored key.
  }
}

function storedKey(): string {
  try {
    return sessionStorage.getItem(STORED) ?? ''
  } catch {
    return ''
  }
}

/** Returns the authorization header. */
export function authorization({ secret }: Access): { readonly authorization: string } {
  return { authorization: `Bearer ${secret}` }
}
