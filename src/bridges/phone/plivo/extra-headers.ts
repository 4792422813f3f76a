import { parametersOf } from '../json-media/message-fields.ts'

/**
 * Returns `parameters` for `<Stream extraHeaders>`: `name=value,…`, at most 512 bytes of letters and digits, so values are
 * written as hexadecimal UTF-8. Names must be lower-case letters and digits.
 */
export function extraHeaders(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${Buffer.from(value, 'utf8').toString('hex')}`)
    .join(',')
}

const HEX = /^[0-9a-f]*$/i
const MAX_LENGTH = 1_024
/** Around names and values: braces (`{X-PH-token: …}`), quotes and spaces. */
const AROUND = /[{}[\]"'\s]/g
const PREFIX = /^(?:x-ph-)+/

/**
 * Reads `extra_headers` of `start`, of which public sources show different forms: `token=…;room=…` (Plivo: Audio Streaming
 * Protocol Reference), `{X-PH-token: …, X-PH-room: …}`, JSON text (plivo-labs/agent-transport), and an object. Names are not
 * case-sensitive, and can have the prefix `X-PH-`.
 */
export function headersIn(given: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null)
  for (const [spelled, value] of pairsIn(given)) {
    const name = spelled.toLowerCase().replace(PREFIX, '')
    if (name !== '' && name !== '__proto__' && HEX.test(value))
      headers[name] = Buffer.from(value, 'hex').toString('utf8')
  }
  return headers
}

function pairsIn(given: unknown): readonly (readonly [name: string, value: string])[] {
  const fields = Object.entries(parametersOf(given))
  if (typeof given !== 'string' || fields.length > 0) return fields
  return given
    .slice(0, MAX_LENGTH)
    .replace(AROUND, '')
    .split(/[;,&]/)
    .map(pair => {
      const at = pair.search(/[=:]/)
      return [pair.slice(0, Math.max(0, at)), pair.slice(at + 1)] as const
    })
}
