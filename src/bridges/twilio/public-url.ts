import { parse, stringify } from 'node:querystring'
import { BridgeError } from '../../core/errors.ts'

/**
 * The address by which Twilio reaches this server. Everything that Twilio signs is rebuilt from it and never from
 * `Host` or `X-Forwarded-*`, which anybody can set. A path in it is put before that of each request, for a proxy
 * that strips one.
 */
export class PublicUrl {
  /** Lower-case host name, without port. */
  readonly hostname: string
  readonly #base: string
  readonly #authority: string
  readonly #path: string
  readonly #secure: boolean

  /** Throws `BridgeError` `CONFIG` unless `text` is an https URL (http too if `allowHttp`) of host, port and path alone. */
  constructor(text: string, { allowHttp = false } = {}) {
    const url = URL.parse(text)
    if (!url || !(url.protocol === 'https:' || (allowHttp && url.protocol === 'http:')))
      throw new BridgeError('CONFIG', `publicUrl must be an https:// address, got ${JSON.stringify(text)}`)
    if (url.username || url.password || url.search || url.hash)
      throw new BridgeError('CONFIG', 'publicUrl takes host, port and path only: no user, query or fragment')
    this.#secure = url.protocol === 'https:'
    this.#authority = url.host
    this.#path = url.pathname.replace(/\/+$/, '')
    this.#base = `${url.protocol}//${url.host}${this.#path}`
    this.hostname = url.hostname
  }

  /** `path` (with its query, as it came) as the address Twilio requests. */
  http(path: string): string {
    return this.#base + path
  }

  /** `path` as the address a stream connects to: `wss`, or `ws` where the public address is http. */
  ws(path: string): string {
    return `${this.#secure ? 'wss' : 'ws'}://${this.#authority}${this.#path}${path}`
  }

  /**
   * What may have been signed for a webhook at `path`: Twilio's tools write the default port or leave it out, and sign an
   * address as it was configured or as a URL parser or an older query parser spells it (twilio-node: `validateRequest`).
   */
  signedHttp(path: string): readonly string[] {
    const scheme = this.#secure ? 'https' : 'http'
    const spellings = [path, ...this.#spellings(path)]
    return [...new Set(spellings.flatMap(spelling => this.#withAndWithoutPort(scheme, spelling)))]
  }

  /** What may have been signed for the upgrade at `path`, which has no query: with and without port and last slash. */
  signedWs(path: string): readonly string[] {
    const bare = path.replace(/\/+$/, '')
    const scheme = this.#secure ? 'wss' : 'ws'
    return [...this.#withAndWithoutPort(scheme, bare), ...this.#withAndWithoutPort(scheme, `${bare}/`)]
  }

  /** `path` as a URL parser writes it, and that with its query as Node's `querystring` writes it. */
  #spellings(path: string): readonly string[] {
    const url = URL.parse(this.#base + path)
    if (!url) return []
    const normal = url.href.slice(url.origin.length)
    // A path that leads out of the public address is none of ours.
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

/** `text` before the first `mark`, and from it on. */
function splitAt(text: string, mark: string): [before: string, from: string | undefined] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at)]
}
