import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { RequestVerifier } from '../carrier.ts'
import type { PublicUrl } from '../public-url.ts'

/** Decoded form fields; a repeated field is a list. */
export type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>

const HEADER = /^[A-Za-z0-9+/]{27}=$/

/**
 * Returns the `X-Twilio-Signature` of a request (Twilio: Webhooks Security): base64 of HMAC-SHA1, keyed with the auth
 * token, over the URL followed by the name and value of every form field, sorted by name. Values of a repeated field
 * are sorted, and each counts once. An upgrade or a GET has no fields; an upgrade is signed as `wss://…`.
 */
export function sign(authToken: string, url: string, fields: FormFields = {}): string {
  return digest(authToken, url + canonical(fields))
}

/**
 * Returns true if `header` signs `fields` and any of `urls` with any of `authTokens`. Computes every combination and
 * compares in constant time, so that timing does not reveal near matches. Compares the texts, not the decoded bytes:
 * the last base64 character has spare bits, so four texts decode to the same bytes.
 */
export function isSigned(
  header: string | undefined,
  authTokens: readonly string[],
  urls: readonly string[],
  fields: FormFields = {},
): boolean {
  if (header === undefined || !HEADER.test(header)) return false
  const given = Buffer.from(header, 'latin1')
  const tail = canonical(fields)
  let signed = false
  for (const token of authTokens)
    for (const url of urls)
      if (timingSafeEqual(given, Buffer.from(digest(token, url + tail), 'latin1'))) signed = true
  return signed
}

function digest(authToken: string, text: string): string {
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64')
}

function canonical(fields: FormFields): string {
  let text = ''
  for (const name of Object.keys(fields).sort()) {
    const value = fields[name]
    if (value === undefined) continue
    if (typeof value === 'string') text += name + value
    else for (const one of [...new Set(value)].sort()) text += name + one
  }
  return text
}

/**
 * Accepts requests with a header that is signed with one of the keys for the public address: Twilio’s `x-twilio-signature`,
 * or the same of another carrier.
 */
export class FormSignatureVerifier implements RequestVerifier {
  readonly #header: string
  readonly #keys: readonly string[]
  readonly #publicUrl: () => PublicUrl

  constructor(header: string, keys: readonly string[], publicUrl: () => PublicUrl) {
    this.#header = header
    this.#keys = keys
    this.#publicUrl = publicUrl
  }

  webhook(request: FastifyRequest): boolean {
    const urls = this.#publicUrl().signedHttp(request.originalUrl)
    return isSigned(headerOf(request, this.#header), this.#keys, urls, (request.body ?? {}) as FormFields)
  }

  upgrade(request: FastifyRequest, path: string): boolean {
    return isSigned(headerOf(request, this.#header), this.#keys, this.#publicUrl().signedWs(path))
  }
}

/** Returns the header of that name; undefined if there is none, or several. */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const header = headers[name]
  return typeof header === 'string' ? header : undefined
}
