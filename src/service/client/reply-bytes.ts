const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const MOST_BYTE = 255

/**
 * Binary inside JSON, in any of the forms that servers use: base64 text (also as a `data:` URL), a list of numbers, a
 * Buffer as Node writes it (`{ type, data }`), a typed array as JSON writes it (`{ "0": …, "1": … }`). Undefined when it
 * is none of them.
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
  const body = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  if (body === '' || !BASE64.test(body)) return undefined
  return Buffer.from(body, 'base64')
}

function fromNumbers(values: readonly unknown[]): Uint8Array | undefined {
  const good = values.every(each => Number.isInteger(each) && Number(each) >= 0 && Number(each) <= MOST_BYTE)
  return good ? Uint8Array.from(values as number[]) : undefined
}
