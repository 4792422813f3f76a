import { createHash, createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { BridgeError } from '../../../common/errors.ts'
import type { WallClock } from '../../../common/wall-clock.ts'
import type { RequestVerifier } from '../ports/carrier-requests.ts'

/** Base64 of 64 bytes, in either alphabet and with or without padding. */
const SIGNATURE = /^[A-Za-z0-9+/_-]{86}(==)?$/
const TIMESTAMP = /^\d{1,12}$/
/** DER headers of an Ed25519 public and private key (RFC 8410); the 32 bytes of the key follow. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export interface SignatureOptions {
  /** Public keys in base64. */
  readonly publicKeys: readonly string[]
  /** Secrets of this server: requests signed with the key pairs derived from them are accepted too. */
  readonly ownKeys: readonly string[]
  readonly toleranceSeconds: number
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
    if (Math.abs(age) > this.#options.toleranceSeconds) return false
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
