import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { parse } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { BoundedMap } from '../../../common/bounded-map.ts'
import type { FormFields } from '../markup/form-signature.ts'
import type { RequestVerifier } from '../ports/carrier-requests.ts'
import type { PublicUrl } from '../public-url.ts'

/** Signatures with the token of the account or subaccount, and with that of the main account. */
const V3 = ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3']
const V3_NONCE = 'x-plivo-signature-v3-nonce'
const V2 = ['x-plivo-signature-v2', 'x-plivo-signature-ma-v2']
const V2_NONCE = 'x-plivo-signature-v2-nonce'
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/
const NONCE = /^[\x21-\x7e]{1,128}$/
/** A header has one signature for each token of the account that is valid. */
const MAX_SIGNATURES = 8
/** Nonces of version 2 that are remembered. */
const MAX_NONCES = 10_000

/**
 * Returns the `X-Plivo-Signature-V3` of a request (Plivo: Signature validation V3; plivo-node 4.79: `validateV3Signature`):
 * base64 of HMAC-SHA256, keyed with the auth token, over the address, a dot and the nonce. The query of the address is
 * decoded and sorted. The fields of a form follow the query, after a dot, as names and values without separators, sorted.
 */
export function sign(authToken: string, url: string, nonce: string, form: FormFields = {}): string {
  return digest(authToken, `${canonical(url, form)}.${nonce}`)
}

function digest(authToken: string, text: string): string {
  return createHmac('sha256', authToken).update(text, 'utf8').digest('base64')
}

function canonical(url: string, form: FormFields): string {
  const at = url.indexOf('?')
  const [base, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
  const asked = sorted(parse(query))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  const posted = sorted(form)
  if (posted.length === 0) return asked === '' ? base : `${base}?${asked}`
  const fields = posted.map(([name, value]) => name + value).join('')
  return `${base}?${asked}${asked === '' ? '' : '.'}${fields}`
}

/** Pairs of a name and one of its values, sorted by both as UTF-16. */
function sorted(fields: FormFields): readonly (readonly [string, string])[] {
  return Object.keys(fields)
    .sort()
    .flatMap(name => {
      const value = fields[name] ?? []
      return typeof value === 'string'
        ? [[name, value] as const]
        : [...value].sort().map(each => [name, each] as const)
    })
}

/**
 * Accepts requests with a valid signature, for the public address: version 3, or version 2 if the request has none of version 3
 * (Plivo: Signature validation). Streams are signed as GET of their address, which public code reads as https (Plivo’s SDK for
 * streams), as http (the same behind a proxy that ends TLS) or as wss.
 */
export class PlivoVerifier implements RequestVerifier {
  readonly #authTokens: readonly string[]
  readonly #publicUrl: () => PublicUrl
  /**
   * Version 2 signs neither query nor form, so each of its nonces is valid for the first request that has it, and for
   * repetitions of that request.
   */
  readonly #nonces = new BoundedMap<string, string>(MAX_NONCES)

  constructor(authTokens: readonly string[], publicUrl: () => PublicUrl) {
    this.#authTokens = authTokens
    this.#publicUrl = publicUrl
  }

  webhook(request: FastifyRequest): boolean {
    const { headers, originalUrl, body } = request
    const form = (body ?? {}) as FormFields
    if (!this.#isSigned(request, this.#publicUrl().signedHttp(originalUrl), form)) return false
    const nonce = headers[V2_NONCE]
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return true
    const content = createHash('sha256').update(canonical(originalUrl, form)).digest('base64')
    // Also if version 3 is valid: without its header, the request could be altered.
    return this.#nonces.getOrSet(nonce, () => content) === content || hasSignature(headers, V3)
  }

  upgrade(request: FastifyRequest, path: string): boolean {
    const schemes = this.#publicUrl().ws('').startsWith('wss')
      ? ['https', 'wss', 'http', 'ws']
      : ['http', 'ws']
    return this.#isSigned(request, this.#publicUrl().signedWs(path, schemes), {})
  }

  #isSigned({ headers }: FastifyRequest, urls: readonly string[], form: FormFields): boolean {
    if (hasSignature(headers, V3)) {
      const texts = urls.map(url => `${canonical(url, form)}.`)
      return this.#matches(signaturesIn(headers, V3), headers[V3_NONCE], texts)
    }
    const bare = urls.map(url => url.split('?', 1)[0]!)
    return this.#matches(signaturesIn(headers, V2), headers[V2_NONCE], bare)
  }

  /** Computes every combination and compares in constant time. */
  #matches(given: readonly Buffer[], nonce: unknown, texts: readonly string[]): boolean {
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return false
    let signed = false
    for (const text of new Set(texts))
      for (const token of this.#authTokens) {
        const right = Buffer.from(digest(token, text + nonce), 'latin1')
        for (const signature of given) if (timingSafeEqual(signature, right)) signed = true
      }
    return signed
  }
}

type Headers = FastifyRequest['headers']

function hasSignature(headers: Headers, names: readonly string[]): boolean {
  return names.some(name => headers[name] !== undefined)
}

/** Compared as text: the last character of base64 has spare bits. */
function signaturesIn(headers: Headers, names: readonly string[]): readonly Buffer[] {
  return names
    .flatMap(name => {
      const header = headers[name]
      return typeof header === 'string' ? header.split(',', MAX_SIGNATURES) : []
    })
    .map(text => text.trim())
    .filter(text => SIGNATURE.test(text))
    .map(text => Buffer.from(text, 'latin1'))
}
