import { createHmac } from 'node:crypto'

/** The header that proves who sent a webhook, and when. */
export const SIGNATURE_HEADER = 'dragoman-signature'

/**
 * `t=<seconds since 1970>,v1=<hex>`: HMAC-SHA256 with `secret` over `<seconds>.<body>`. The time is part of what is
 * signed, so that a receiver can refuse what is old and was kept by somebody.
 */
export function signatureOf(secret: string, wallMs: number, body: string): string {
  const seconds = Math.floor(wallMs / 1000)
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

/** A secret in the form of Standard Webhooks is Base64 after this prefix. */
const ENCODED_SECRET = 'whsec_'

/**
 * The headers of Standard Webhooks, so that its libraries verify a delivery without code of their own: `webhook-id`,
 * `webhook-timestamp` (seconds since 1970) and `webhook-signature`, `v1,<Base64>`: HMAC-SHA256 over
 * `<id>.<seconds>.<body>`. Their key is the secret decoded from Base64 after `whsec_`, or the bytes of any other secret.
 *
 * Source: the Standard Webhooks specification, "Webhook metadata" and "Signature scheme".
 */
export function standardHeaders(
  secret: string,
  id: string,
  wallMs: number,
  body: string,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const seconds = Math.floor(wallMs / 1000)
  const key = secret.startsWith(ENCODED_SECRET)
    ? Buffer.from(secret.slice(ENCODED_SECRET.length), 'base64')
    : Buffer.from(secret)
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${mac}` }
}
