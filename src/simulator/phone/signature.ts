import { createHmac } from 'node:crypto'

/** What a webhook carries: a repeated field has several values. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>

/**
 * The far side's signature, made as Twilio makes it ("Webhooks security" and twilio-node): HMAC-SHA1 over the URL
 * as requested, then every field sorted by name, name and value without separators, a repeated field's values once
 * each and sorted. For a WebSocket upgrade the URL is the `wss://` string of the TwiML and there are no fields.
 * The bridge has its own implementation; the two share no line, so that neither can hide the other's mistake.
 */
export function signRequest(authToken: string, url: string, fields: FormFields = {}): string {
  const hmac = createHmac('sha1', authToken).update(url, 'utf8')
  for (const name of Object.keys(fields).sort()) {
    const value = fields[name] ?? ''
    const values = typeof value === 'string' ? [value] : [...new Set(value)].sort()
    for (const each of values) hmac.update(name + each, 'utf8')
  }
  return hmac.digest('base64')
}

/** The key of one who does not have the token; none for who does not sign at all. */
export function forgedKey(kind: 'none' | 'wrong-token', authToken: string | undefined): string | undefined {
  return kind === 'none' ? undefined : `not-${authToken ?? 'the-token'}`
}
