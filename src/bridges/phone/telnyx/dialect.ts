import { createHash, createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { BridgeError } from '../../../common/errors.ts'
import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import {
  type Carrier,
  type CarrierMessage,
  type MediaDialect,
  PHONE_LINE,
  type RequestVerifier,
} from '../carrier.ts'
import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  parametersOf,
  readFields,
  textOf,
  wholeNumber,
} from '../json-media/message-fields.ts'
import { formatOf } from '../json-media/stream-format.ts'
import { rawCallForm } from '../markup/call-form.ts'
import { callXml } from '../markup/call-xml.ts'

/** Attributes of `<Stream>` (Telnyx: TeXML Stream). Without `bidirectionalMode`, Telnyx expects MP3. */
const STREAM = { codec: 'PCMU', bidirectionalMode: 'rtp', bidirectionalCodec: 'PCMU' }

export interface TelnyxCarrierOptions {
  readonly publicKeys: readonly string[]
  /** Requests signed with the key pairs derived from these secrets are accepted too. */
  readonly ownKeys?: readonly string[]
  readonly wallClock?: WallClock
}

/** Telnyx with TeXML: Twilio’s markup and form fields, its own messages and signatures. */
export function telnyxCarrier(options: TelnyxCarrierOptions): Carrier {
  const { publicKeys, ownKeys = [], wallClock = systemWallClock } = options
  return {
    name: 'telnyx',
    title: 'Telnyx',
    media: telnyxMedia,
    instructions: callXml(STREAM),
    requests: rawCallForm,
    verifier: () => new TelnyxVerifier({ publicKeys, ownKeys, wallClock }),
    secretStreams: true,
    // The key of the account is public, so prompts are signed with a secret of this process.
    secrets: [],
  }
}

const CONNECTED: CarrierMessage = { kind: 'connected' }
const UNKNOWN: CarrierMessage = { kind: 'unknown' }
const CALL_ID = /^[A-Za-z0-9_:.-]{1,128}$/

/**
 * Telnyx’s media stream messages (Telnyx: Media Streaming over WebSockets): snake_case, no stream ID in what it receives, and
 * media in any order, numbered by `chunk`.
 */
export const telnyxMedia: MediaDialect = {
  format: PHONE_LINE,
  frames: 'text',
  queue: 'carrier',
  order: 'any',
  parse: data => readFields(data.toString('utf8'), parse),
  messages: () => ({
    media: audio => JSON.stringify({ event: 'media', media: { payload: audio.toString('base64') } }),
    mark: name => JSON.stringify({ event: 'mark', mark: { name } }),
    clear: () => '{"event":"clear"}',
  }),
}

/** Never throws. */
function parse(message: Fields): CarrierMessage {
  const streamId = textOf(message.stream_id)
  switch (message.event) {
    case 'media':
      return media(message, streamId)
    case 'mark':
      return mark(message, streamId)
    case 'dtmf':
      return dtmf(message, streamId)
    case 'start':
      return start(message, streamId)
    case 'stop':
      return { kind: 'stop', streamId }
    case 'connected':
      return CONNECTED
    default:
      return typeof message.event === 'string' ? UNKNOWN : INVALID.shape
  }
}

function media(message: Fields, streamId: string): CarrierMessage {
  const fields = message.media
  if (!isFields(fields) || typeof fields.payload !== 'string') return INVALID.media
  return {
    kind: 'media',
    streamId,
    track: fields.track === 'outbound' ? 'outbound' : 'inbound',
    timestampMs: wholeNumber(fields.timestamp),
    sequence: wholeNumber(fields.chunk),
    payload: fields.payload,
  }
}

function mark(message: Fields, streamId: string): CarrierMessage {
  return markOf(isFields(message.mark) ? message.mark.name : undefined, streamId)
}

function dtmf(message: Fields, streamId: string): CarrierMessage {
  return dtmfOf(isFields(message.dtmf) ? message.dtmf.digit : undefined, streamId)
}

/** With TeXML, the ID of the call is `CallSid` of the webhooks (Telnyx: TeXML stream callback). */
function start(message: Fields, streamId: string): CarrierMessage {
  const fields = message.start
  if (!isFields(fields)) return INVALID.start
  const callId = textOf(fields.call_control_id)
  if (!CALL_ID.test(callId) || (streamId !== '' && !CALL_ID.test(streamId))) return INVALID.start
  return {
    kind: 'start',
    streamId,
    callId,
    ...formatOf(fields.media_format, PHONE_LINE),
    parameters: parametersOf(fields.custom_parameters),
  }
}

/** Base64 of 64 bytes, in either alphabet and with or without padding. */
const SIGNATURE = /^[A-Za-z0-9+/_-]{86}(==)?$/
const TIMESTAMP = /^\d{1,12}$/
/** Maximum age of a signed request (s), as in Telnyx’s client (telnyx-node: `TelnyxWebhook`), which limits replays. */
const TOLERANCE_S = 300
/** DER headers of an Ed25519 public and private key (RFC 8410); the 32 bytes of the key follow. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export interface SignatureOptions {
  /** Public keys in base64. */
  readonly publicKeys: readonly string[]
  /** Secrets of this server: requests signed with the key pairs derived from them are accepted too. */
  readonly ownKeys: readonly string[]
  readonly wallClock: WallClock
}

/**
 * Accepts webhooks with a recent Ed25519 signature over `timestamp|body`, in the headers `telnyx-signature-ed25519` and
 * `telnyx-timestamp` (Telnyx: Webhook signing). It covers neither address nor query, which therefore prove nothing: the
 * bridge’s state is not read from them unless the call is known. Upgrades are not signed.
 */
export class TelnyxVerifier implements RequestVerifier {
  readonly #keys: readonly KeyObject[]
  readonly #options: SignatureOptions

  /** Throws `BridgeError` `CONFIG` for an invalid key, or without one. */
  constructor(options: SignatureOptions) {
    this.#options = options
    this.#keys = [
      ...options.publicKeys.map(publicKeyOf),
      ...options.ownKeys.map(secret => createPublicKey(ownKeyOf(secret))),
    ]
    if (this.#keys.length === 0)
      throw new BridgeError(
        'CONFIG',
        'the Telnyx bridge needs a public key; set insecure: true to run without one',
      )
  }

  webhook({ headers, body }: FastifyRequest): boolean {
    const signature = headers['telnyx-signature-ed25519']
    const timestamp = headers['telnyx-timestamp']
    if (typeof signature !== 'string' || typeof timestamp !== 'string' || typeof body !== 'string')
      return false
    if (!SIGNATURE.test(signature) || !TIMESTAMP.test(timestamp)) return false
    const age = this.#options.wallClock() / 1_000 - Number(timestamp)
    // In both directions, as in Telnyx’s client (telnyx-node: `TelnyxWebhook`): our clock can be the one that is late.
    if (Math.abs(age) > TOLERANCE_S) return false
    const signed = Buffer.from(`${timestamp}|${body}`)
    return this.#keys.some(key => verify(null, signed, key, Buffer.from(signature, 'base64')))
  }

  /** The secret in the address of the stream was checked before. */
  upgrade(): boolean {
    return true
  }
}

function publicKeyOf(text: string): KeyObject {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 32 || bytes.toString('base64') !== text)
    throw new BridgeError('CONFIG', 'publicKey must be 32 bytes in base64')
  return createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })
}

/** The key pair of a server without an account: its seed is the SHA-256 of the secret. */
function ownKeyOf(secret: string): KeyObject {
  const seed = createHash('sha256').update(secret).digest()
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
}
