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
