import { parse, stringify } from 'node:querystring'
import { BridgeError } from '../../common/errors.ts'

/** The part of an address before its path: `https://`, `bridge.example.com`, `:8443`, `/base`. */
interface Base {
  readonly scheme: string
  readonly host: string
  /** With its colon; the default one if the address has none. */
  readonly port: string
  /** Without a slash at its end. */
  readonly path: string
}

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
  /** The spellings that can be signed: that of a URL parser, and the configured one. */
  readonly #bases: readonly Base[]

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
    this.#bases = [this.#base, text].flatMap(spelling => baseOf(spelling, this.#secure) ?? [])
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
   * Returns the possible signed URLs of a webhook at `path`, at most 16. Carriers’ tools include or omit the default port, and
   * sign an address as configured, with its capitals, or as spelled by a URL parser or an older query parser
   * (twilio-node: `validateRequest`).
   */
  signedHttp(path: string): readonly string[] {
    return this.#signed(undefined, [path, ...this.#spellings(path)])
  }

  /**
   * Returns the possible signed URLs of the upgrade at `path`, which has no query, at most 8 for each of `schemes` (`wss`, or
   * `ws` without TLS): in both spellings, with and without port and trailing slash.
   */
  signedWs(path: string, schemes: readonly string[] = [this.#secure ? 'wss' : 'ws']): readonly string[] {
    const bare = path.replace(/\/+$/, '')
    return schemes.flatMap(scheme => this.#signed(scheme, [bare, `${bare}/`]))
  }

  /** Returns `path` as a URL parser writes it, the same with its query as Node’s `querystring` writes it, and decoded. */
  #spellings(path: string): readonly string[] {
    const url = URL.parse(this.#base + path)
    if (!url) return []
    const normal = url.href.slice(url.origin.length)
    // Rejects paths outside the public address.
    if (!normal.startsWith(this.#path)) return []
    const [bare = '', query] = splitAt(normal.slice(this.#path.length), '?')
    return query ? [bare + query, `${bare}?${stringify(parse(query.slice(1)))}`, decoded(path)] : [bare]
  }

  /** Without `scheme`: that of each spelling. */
  #signed(scheme: string | undefined, paths: readonly string[]): readonly string[] {
    const urls = paths.flatMap(path =>
      this.#bases.flatMap(base =>
        ['', base.port].map(port => `${scheme ?? base.scheme}://${base.host}${port}${base.path}${path}`),
      ),
    )
    return [...new Set(urls)]
  }
}

const ADDRESS = /^\s*([a-z]+):\/\/([^/?#]+?)(:\d*)?(\/[^?#]*)?\s*$/i

/** Returns the parts of an address as it is spelled; undefined if only a URL parser understands it. */
function baseOf(spelling: string, secure: boolean): Base | undefined {
  const [, scheme, host, port, path = ''] = ADDRESS.exec(spelling) ?? []
  if (scheme === undefined || host === undefined) return undefined
  const usual = secure ? ':443' : ':80'
  return { scheme, host, port: port && port !== ':' ? port : usual, path: path.trimEnd().replace(/\/+$/, '') }
}

/** An address as a person writes it, `?name=José`, which clients encode before they send it. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Splits `text` before the first `mark`. */
function splitAt(text: string, mark: string): [before: string, from: string | undefined] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at)]
}
