import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sameSecret } from '../../../common/secrets.ts'
import { type Carrier, type LineFormat, PHONE_LINE, type RequestVerifier } from '../carrier.ts'
import { assertSecrets, hasBearerToken } from '../credentials.ts'
import { jsonMedia } from '../json-media/json-media.ts'
import { rawCallForm } from '../markup/call-form.ts'
import { callXml } from '../markup/call-xml.ts'
import { type FormFields, headerOf, isSigned } from '../markup/form-signature.ts'
import type { PublicUrl } from '../public-url.ts'
import type { SignalwireSettings } from './settings.ts'

type Audio = NonNullable<SignalwireSettings['audio']>

const FORMATS: Readonly<Record<Audio, LineFormat & { readonly attribute: string }>> = {
  'mulaw-8k': { ...PHONE_LINE, attribute: 'PCMU@8000h' },
  'l16-16k': { codec: 'l16', rate: 16_000, attribute: 'L16@16000h' },
  'l16be-16k': { codec: 'l16be', rate: 16_000, attribute: 'L16@16000h' },
}

/**
 * SignalWire’s cXML: Twilio’s messages and markup, its own signatures, and a bearer token at the upgrade, which the
 * instructions for each stream name (SignalWire: `<Stream>`).
 */
export function signalwireCarrier(signingKeys: readonly string[], audio: Audio = 'mulaw-8k'): Carrier {
  const { attribute, ...format } = FORMATS[audio]
  // Streams connect to the process that wrote their instructions.
  const bearer = randomBytes(24).toString('base64url')
  return {
    name: 'signalwire',
    title: 'SignalWire',
    media: jsonMedia(format),
    instructions: callXml({ codec: attribute, authBearerToken: bearer }),
    requests: rawCallForm,
    verifier: publicUrl => {
      assertSecrets(signingKeys, 'SignalWire', 'a signing key')
      return new SignalwireVerifier(signingKeys, bearer, publicUrl)
    },
    secrets: signingKeys,
  }
}

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
