const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const MOST_BYTE = 255
const LEAST_SAMPLE = -32_768
const MOST_SAMPLE = 32_767

/**
 * Decodes binary data inside JSON, in any of the encodings that servers use: base64 (also as a `data:` URL, also with
 * line breaks), a list of bytes or samples, a Buffer as Node serializes it (`{ type, data }`), a typed array as JSON
 * serializes it (`{ "0": …, "1": … }`). Undefined for other values.
 */
export function replyBytes(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return fromBase64(value)
  if (Array.isArray(value)) return fromNumbers(value)
  if (typeof value !== 'object' || value === null) return undefined
  if ('data' in value && 'type' in value && value.type === 'Buffer') return replyBytes(value.data)
  const keys = Object.keys(value)
  if (keys.length === 0 || keys.some((key, index) => key !== String(index))) return undefined
  return fromNumbers(Object.values(value))
}

function fromBase64(text: string): Uint8Array | undefined {
  const encoded = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  // Some encoders break lines; a space means that the value is text.
  const body = encoded.replace(/\r?\n/g, '')
  const padding = body.endsWith('==') ? 2 : body.endsWith('=') ? 1 : 0
  if (body === '' || !BASE64.test(body) || (body.length - padding) % 4 === 1) return undefined
  return Buffer.from(body, 'base64')
}

function fromNumbers(values: readonly unknown[]): Uint8Array | undefined {
  let least = 0
  let most = 0
  for (const value of values) {
    if (typeof value !== 'number' || !Number.isInteger(value)) return undefined
    if (value < least) least = value
    if (value > most) most = value
  }
  if (least >= 0 && most <= MOST_BYTE) return Uint8Array.from(values as number[])
  if (least < LEAST_SAMPLE || most > MOST_SAMPLE) return undefined
  return new Uint8Array(Int16Array.from(values as number[]).buffer)
}
