import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto'
import { systemWallClock } from '../../src/common/wall-clock.ts'
import { type PhoneProfile, twilioProfile } from '../twilio/phone/profile.ts'
import type { ApiReply } from '../twilio/rest/api.ts'
import { Form } from '../twilio/rest/form.ts'
import { RestError } from '../twilio/rest/rest-errors.ts'
import { type RestProfile, twilioRest } from '../twilio/rest/rest-profile.ts'
import { TwilioSimulator, type TwilioSimulatorOptions } from '../twilio/rest/twilio-simulator.ts'
import { TelnyxWire, telnyxReader } from './wire.ts'

/** DER header of an Ed25519 private key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key pair of an account, derived from its secret, so that a secret is enough to sign. */
function keyOf(secret: string): KeyObject {
  const seed = createHash('sha256').update(secret).digest()
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
}

/** The public key of the account with `secret`, as the portal shows it: 32 bytes in base64. */
export function telnyxPublicKey(secret: string): string {
  const der = createPublicKey(keyOf(secret)).export({ format: 'der', type: 'spki' })
  return der.subarray(-32).toString('base64')
}

/** Headers of a webhook: an Ed25519 signature over `timestamp|body`. `seconds` since 1970. */
export function signTelnyx(secret: string, body: string, seconds: number): Record<string, string> {
  const timestamp = String(Math.floor(seconds))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), keyOf(secret)).toString('base64')
  return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature }
}

const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  codec: ['PCMU', 'default'],
  bidirectionalMode: ['rtp'],
  bidirectionalCodec: ['PCMU'],
}

/** Phones of Telnyx with TeXML. Media can arrive in any order: quirk `shuffleMs`. */
export const telnyxProfile: PhoneProfile = {
  ...twilioProfile,
  name: 'telnyx',
  webhookAgent: 'telnyx-webhooks',
  streamAgent: 'telnyx-streaming',
  newSid: kind => (kind === 'CA' ? `v3:${randomBytes(24).toString('base64url')}` : randomUUID()),
  webhookHeaders: (secret, { body }) => signTelnyx(secret, body, systemWallClock() / 1_000),
  upgradeHeaders: () => ({}),
  streamFault: attributes => {
    for (const [name, value] of attributes)
      if (!ATTRIBUTES[name]?.includes(value)) return `<Stream ${name}="${value}"> is not modeled`
    // Telnyx itself drops what it receives.
    return attributes.get('bidirectionalMode') === 'rtp' ? undefined : 'audio would be expected as MP3'
  },
  wire: ids => new TelnyxWire(ids),
  reader: () => telnyxReader,
}

const CALLS = /^\/v2\/texml\/Accounts\/([\w-]+)\/Calls(\/[^/?]+)?$/

/** Telnyx’s TeXML API: Twilio’s fields, a bearer token, and its own errors. */
function telnyxRest(applicationId: string, voiceUrl: string): RestProfile {
  return {
    ...twilioRest,
    phone: telnyxProfile,
    target({ method, path }) {
      const [, account, call = ''] = CALLS.exec(path) ?? []
      if (account === undefined) return { method, path: '/unknown' }
      return { method, path: `/2010-04-01/Accounts/${account}/Calls${decodeURIComponent(call)}.json` }
    },
    authenticate(authorization, account) {
      if (authorization !== `Bearer ${account.authToken}`) throw new RestError(20003)
    },
    form(method, path, form) {
      if (method !== 'POST' || !path.endsWith('/Calls.json')) return form
      if (form.get('ApplicationSid') !== applicationId)
        throw new RestError(21218, form.get('ApplicationSid') ?? '')
      const fields = form.copy()
      fields.delete('ApplicationSid')
      const urlMethod = fields.get('UrlMethod')
      fields.delete('UrlMethod')
      if (urlMethod !== null) fields.set('Method', urlMethod)
      return new Form(fields)
    },
    reply({ status, body }, { method, path }): ApiReply {
      // Twilio’s API has no such resource. Requests without authentication get the usual error below.
      if (status === 404 && method === 'GET' && path === `/v2/texml_applications/${applicationId}`)
        return { status: 200, body: { data: { id: applicationId, active: true, voice_url: voiceUrl } } }
      return status < 400 ? { status, body: body && { ...body, call_sid: body.sid } } : failed(status, body)
    },
  }
}

/** Codes of errors that follow Telnyx’s; any other is 10015, bad request. */
const CODES: Readonly<Record<string, string>> = {
  20003: '10009',
  20404: '10005',
  21220: '90018',
  20429: '10011',
}

function failed(status: number, body: ApiReply['body']): ApiReply {
  const code = CODES[String(body?.code)] ?? '10015'
  const error = { code, title: 'Error', detail: String(body?.message ?? '') }
  return { status: code === '90018' ? 422 : status, body: { errors: [error] } }
}

export interface TelnyxSimulatorOptions extends TwilioSimulatorOptions {
  /** The only TeXML application of the account, and its address for incoming calls. */
  readonly applicationId?: string
  readonly voiceUrl?: string
}

/**
 * Telnyx on loopback: its TeXML API, and phones. `authToken` is the API key, and the secret of the key pair that signs
 * webhooks: see `telnyxPublicKey`.
 */
export function listenTelnyx(options: TelnyxSimulatorOptions = {}): Promise<TwilioSimulator> {
  const { applicationId = '1494404757140276705', voiceUrl = '', ...rest } = options
  return TwilioSimulator.listen({ ...rest, profile: telnyxRest(applicationId, voiceUrl) })
}
