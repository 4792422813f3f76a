import { parse, stringify } from 'node:querystring'
import { BridgeError } from '../../common/errors.ts'

/**
 * The public address of this server. Everything that carriers sign is rebuilt from it, never from `Host` or
 * `X-Forwarded-*`, which any client can set. Its path precedes that of each request, for proxies that strip one.
 */
export class PublicUrl {
  /** Lower-case host name, without port. */
  readonly hostname: string
  readonly #base: string
  readonly #authority: string
  readonly #path: string
  readonly #secure: boolean

  /**
   * Throws `BridgeError` `CONFIG` unless `text` is an https URL (or http with `allowHttp`) with only host, port and
   * path.
   */
  constructor(text: string, { allowHttp = false } = {}) {
    const url = URL.parse(text)
    if (!url || !(url.protocol === 'https:' || (allowHttp && url.protocol === 'http:')))
      throw new BridgeError('CONFIG', `publicUrl must be an https:// address, got ${JSON.stringify(text)}`)
    if (url.username || url.password || url.search || url.hash)
      throw new BridgeError(
        'CONFIG',
        'publicUrl can only have host, port and path: no user, query or fragment',
      )
    this.#secure = url.protocol === 'https:'
    this.#authority = url.host
    this.#path = url.pathname.replace(/\/+$/, '')
    this.#base = `${url.protocol}//${url.host}${this.#path}`
    this.hostname = url.hostname
  }

  /** Returns the address that the carrier requests for `path` (including its query, verbatim). */
  http(path: string): string {
    return this.#base + path
  }

  /** Returns the address that a stream connects to for `path`: `wss`, or `ws` if the public address is http. */
  ws(path: string): string {
    return `${this.#secure ? 'wss' : 'ws'}://${this.#authority}${this.#path}${path}`
  }

  /**
   * Returns the possible signed URLs of a webhook at `path`. Twilio’s tools include or omit the default port, and
   * sign an address as configured or as spelled by a URL parser or an older query parser (twilio-node:
   * `validateRequest`).
   */
  signedHttp(path: string): readonly string[] {
    const scheme = this.#secure ? 'https' : 'http'
    const spellings = [path, ...this.#spellings(path)]
    return [...new Set(spellings.flatMap(spelling => this.#withAndWithoutPort(scheme, spelling)))]
  }

  /**
   * Returns the possible signed URLs of the upgrade at `path`, which has no query: with and without port and trailing
   * slash.
   */
  signedWs(path: string): readonly string[] {
    const bare = path.replace(/\/+$/, '')
    const scheme = this.#secure ? 'wss' : 'ws'
    return [...this.#withAndWithoutPort(scheme, bare), ...this.#withAndWithoutPort(scheme, `${bare}/`)]
  }

  /** Returns `path` as a URL parser writes it, and the same with its query as Node’s `querystring` writes it. */
  #spellings(path: string): readonly string[] {
    const url = URL.parse(this.#base + path)
    if (!url) return []
    const normal = url.href.slice(url.origin.length)
    // Rejects paths outside the public address.
    if (!normal.startsWith(this.#path)) return []
    const [bare = '', query] = splitAt(normal.slice(this.#path.length), '?')
    return query ? [bare + query, `${bare}?${stringify(parse(query.slice(1)))}`] : [bare]
  }

  #withAndWithoutPort(scheme: string, path: string): readonly string[] {
    const host = this.#authority.replace(/:\d+$/, '')
    const port = this.#authority.slice(host.length) || (this.#secure ? ':443' : ':80')
    return [host, host + port].map(authority => `${scheme}://${authority}${this.#path}${path}`)
  }
}

/** Splits `text` before the first `mark`. */
function splitAt(text: string, mark: string): [before: string, from: string | undefined] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at)]
}
