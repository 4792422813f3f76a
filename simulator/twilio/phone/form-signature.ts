import { createHmac } from 'node:crypto'

/** Fields of a webhook: a repeated field has several values. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>

/**
 * Twilio's signature ("Webhooks security" and twilio-node): HMAC-SHA1 over the URL as requested, then every field
 * sorted by name, name and value without separators, a repeated field's values once each and sorted. For a WebSocket
 * upgrade the URL is the `wss://` string of the TwiML and there are no fields. The bridge has its own implementation;
 * they share no code, so that neither can hide the other's mistakes.
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
