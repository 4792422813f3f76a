import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type FormFields, headerOf, isSigned } from '../markup/form-signature.ts'
import type { RequestVerifier } from '../ports/carrier-requests.ts'
import { hasBearerToken, sameSecret } from '../ports/credentials.ts'
import type { PublicUrl } from '../public-url.ts'

/** SignalWire’s own header, and the one of callbacks that follow Twilio’s (SignalWire: Server SDK, security). */
const HEADERS = ['x-signalwire-signature', 'x-twilio-signature']
const SHA256_HEADER = 'x-signalwire-sha256-signature'
const MAX_FIELDS = 500

/**
 * Accepts webhooks with a signature of one of the keys, in any form that SignalWire documents: as Twilio’s, base64 over the
 * address and the sorted form (cXML, webhook security), or hexadecimal over the address and the body as it arrived (SWML,
 * webhook security). The values of a repeated field are those of Twilio, or as they arrived (SignalWire’s client
 * `compatibility-api` 3.2). Streams authenticate with the bearer token that their instructions contain.
 */
export class SignalwireVerifier implements RequestVerifier {
  readonly #keys: readonly string[]
  readonly #bearer: string
  readonly #publicUrl: () => PublicUrl

  constructor(keys: readonly string[], bearer: string, publicUrl: () => PublicUrl) {
    this.#keys = keys
    this.#bearer = bearer
    this.#publicUrl = publicUrl
  }

  /** The body arrives as text. Computes every combination and compares in constant time. */
  webhook(request: FastifyRequest): boolean {
    const { body, originalUrl } = request
    if (typeof body !== 'string') return false
    const fields = fieldsIn(body)
    if (!fields) return false
    const urls = this.#publicUrl().signedHttp(originalUrl)
    const unsorted = inOrder(fields)
    let signed = false
    for (const name of HEADERS) {
      const header = headerOf(request, name)
      if (isSigned(header, this.#keys, urls, fields)) signed = true
      if (
        unsorted !== undefined &&
        isSigned(
          header,
          this.#keys,
          urls.map(url => url + unsorted),
        )
      )
        signed = true
      if (this.#isHex('sha1', header, urls, body)) signed = true
    }
    if (this.#isHex('sha256', headerOf(request, SHA256_HEADER), urls, body)) signed = true
    return signed
  }

  upgrade(request: FastifyRequest): boolean {
    return hasBearerToken(request, this.#bearer)
  }

  #isHex(
    hash: 'sha1' | 'sha256',
    header: string | undefined,
    urls: readonly string[],
    body: string,
  ): boolean {
    if (header === undefined || !/^[0-9a-f]{40,64}$/.test(header)) return false
    let signed = false
    for (const key of this.#keys)
      for (const url of urls)
        if (
          sameSecret(
            header,
            createHmac(hash, key)
              .update(url + body, 'utf8')
              .digest('hex'),
          )
        )
          signed = true
    return signed
  }
}

/** Returns the fields sorted by name, with all values as they arrived; undefined if none is repeated. */
function inOrder(fields: FormFields): string | undefined {
  if (!Object.values(fields).some(Array.isArray)) return undefined
  const names = Object.keys(fields).sort()
  return names.flatMap(name => [fields[name] ?? []].flat().map(value => name + value)).join('')
}

/** Returns the fields of an encoded form; undefined if there are too many. */
function fieldsIn(body: string): FormFields | undefined {
  const fields: Record<string, string | string[]> = Object.create(null)
  const pairs = [...new URLSearchParams(body)]
  if (pairs.length > MAX_FIELDS) return undefined
  for (const [name, value] of pairs) {
    const known = fields[name]
    fields[name] = known === undefined ? value : [known, value].flat()
  }
  return fields
}
