import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import type { FormFields } from '../telephony/markup/form-signature.ts'
import type { RequestVerifier } from '../telephony/ports/carrier-requests.ts'
import type { PublicUrl } from '../telephony/public-url.ts'

/** Signatures with the token of the account or subaccount, and with that of the main account. */
const HEADERS = ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3']
const NONCE_HEADER = 'x-plivo-signature-v3-nonce'
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/
const NONCE = /^[\x21-\x7e]{1,128}$/
/** A header has one signature for each token of the account that is valid. */
const MAX_SIGNATURES = 8

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
 * Accepts requests with a valid signature, for the public address. Streams are signed as GET of their https address (Plivo’s
 * SDK for streams); their wss address is accepted as well, because only the owner of the token can sign it.
 */
export class PlivoVerifier implements RequestVerifier {
  readonly #authTokens: readonly string[]
  readonly #publicUrl: () => PublicUrl

  constructor(authTokens: readonly string[], publicUrl: () => PublicUrl) {
    this.#authTokens = authTokens
    this.#publicUrl = publicUrl
  }

  webhook(request: FastifyRequest): boolean {
    const urls = this.#publicUrl().signedHttp(request.originalUrl)
    return this.#isSigned(request, urls, (request.body ?? {}) as FormFields)
  }

  upgrade(request: FastifyRequest, path: string): boolean {
    const urls = this.#publicUrl().signedWs(path)
    return this.#isSigned(request, [...urls, ...urls.map(url => url.replace(/^ws/, 'http'))], {})
  }

  /** Computes every combination and compares in constant time. */
  #isSigned({ headers }: FastifyRequest, urls: readonly string[], form: FormFields): boolean {
    const nonce = headers[NONCE_HEADER]
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return false
    const given = HEADERS.flatMap(name => signaturesIn(headers[name]))
    let signed = false
    for (const text of new Set(urls.map(url => canonical(url, form))))
      for (const token of this.#authTokens) {
        const right = Buffer.from(digest(token, `${text}.${nonce}`), 'latin1')
        for (const signature of given) if (timingSafeEqual(signature, right)) signed = true
      }
    return signed
  }
}

/** Compared as text: the last character of base64 has spare bits. */
function signaturesIn(header: string | readonly string[] | undefined): readonly Buffer[] {
  if (typeof header !== 'string') return []
  return header
    .split(',', MAX_SIGNATURES)
    .map(text => text.trim())
    .filter(text => SIGNATURE.test(text))
    .map(text => Buffer.from(text, 'latin1'))
}
