import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import type { RequestVerifier } from '../ports/carrier-requests.ts'
import { hasBasicCredentials, sameSecret } from '../ports/credentials.ts'
import { type StreamLogin, streamLogin } from './verbs.ts'

/** Maximum difference between the time of a signature and ours (s). */
const TOLERANCE_SECONDS = 300
const HEADER = /^t=(\d{1,12})((?:,\s*v1=[0-9a-f]{64}){1,4})$/

/**
 * Returns the `Jambonz-Signature` of a webhook (jambonz: securing your webhooks): HMAC-SHA256, keyed with the webhook
 * secret of the account, over the time, a dot and the body. The address is not covered.
 */
export function sign(webhookSecret: string, body: string, seconds: number): string {
  return `t=${seconds},v1=${digest(webhookSecret, body, String(seconds))}`
}

/**
 * Returns true if `header` signs `body` with any of `secrets`, about now (s). It can have several signatures (jambonz
 * node client: `verifyJambonzSignature`). Compares in constant time.
 */
export function isSigned(
  header: string | undefined,
  secrets: readonly string[],
  body: string,
  nowSeconds: number,
): boolean {
  const [, seconds = '', signatures = ''] = HEADER.exec(header ?? '') ?? []
  if (signatures === '' || Math.abs(Number(seconds) - nowSeconds) > TOLERANCE_SECONDS) return false
  let signed = false
  for (const given of signatures.match(/[0-9a-f]{64}/g) ?? [])
    for (const secret of secrets) if (sameSecret(given, digest(secret, body, seconds))) signed = true
  return signed
}

function digest(secret: string, body: string, seconds: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`, 'utf8').digest('hex')
}

/** Accepts webhooks signed with one of the secrets, and streams with the login that our instructions contain. */
export class JambonzVerifier implements RequestVerifier {
  readonly #secrets: readonly string[]
  readonly #logins: readonly StreamLogin[]
  readonly #wallClock: WallClock

  constructor(secrets: readonly string[], wallClock: WallClock = systemWallClock) {
    this.#secrets = secrets
    this.#logins = secrets.map(streamLogin)
    this.#wallClock = wallClock
  }

  webhook({ headers, body }: FastifyRequest): boolean {
    const header = headers['jambonz-signature']
    if (typeof header !== 'string' || typeof body !== 'string') return false
    return isSigned(header, this.#secrets, body, Math.floor(this.#wallClock() / 1_000))
  }

  upgrade(request: FastifyRequest): boolean {
    let accepted = false
    for (const { username, password } of this.#logins)
      if (hasBasicCredentials(request, username, password)) accepted = true
    return accepted
  }
}
