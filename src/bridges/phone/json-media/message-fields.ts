import { parseJson } from '../../../common/json.ts'
import type { CarrierMessage, CarrierMessageFault } from '../carrier.ts'

/** Unchecked fields of a JSON message of a carrier. */
export type Fields = Readonly<Record<string, unknown>>

export const INVALID = {
  json: { kind: 'invalid', fault: 'json' },
  shape: { kind: 'invalid', fault: 'shape' },
  start: { kind: 'invalid', fault: 'start' },
  media: { kind: 'invalid', fault: 'media' },
  dtmf: { kind: 'invalid', fault: 'dtmf' },
  mark: { kind: 'invalid', fault: 'mark' },
} as const satisfies Record<CarrierMessageFault, CarrierMessage>

/** Maximum length of the name of a mark. */
const MAX_MARK_NAME = 512

const DIGIT = /^[0-9*#A-D]$/
const MAX_PARAMETERS = 100

function isDigit(text: string): boolean {
  return DIGIT.test(text)
}

/** Returns the mark called `name`; invalid without a name, or with one that is too long. */
export function markOf(name: unknown, streamId: string): CarrierMessage {
  const text = textOf(name)
  return text === '' || text.length > MAX_MARK_NAME ? INVALID.mark : { kind: 'mark', streamId, name: text }
}

/** Returns the key press `digit`; invalid for anything else. */
export function dtmfOf(digit: unknown, streamId: string): CarrierMessage {
  const text = textOf(digit).toUpperCase()
  return isDigit(text) ? { kind: 'dtmf', streamId, digit: text } : INVALID.dtmf
}

/** Reads a binary frame of 16-bit PCM, for carriers whose streams have neither IDs nor timestamps. */
export function pcmMedia(payload: Buffer): CarrierMessage {
  if (payload.length % 2 !== 0) return INVALID.media
  return { kind: 'media', streamId: '', track: 'inbound', timestampMs: Number.NaN, payload }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a JSON object with `read`; anything else is an invalid message. Throws only if `read` does. */
export function readFields(text: string, read: (message: Fields) => CarrierMessage): CarrierMessage {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return INVALID.json
  }
  return isFields(message) ? read(message) : INVALID.shape
}

/** Returns a string or number as text; anything else is empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/**
 * Returns the strings and numbers among `given`, in an object without prototype. `given` is an object, a list of
 * `{ name, value }`, or either as JSON text.
 */
export function parametersOf(given: unknown): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = Object.create(null)
  for (const [name, value] of entriesOf(typeof given === 'string' ? parseJson(given) : given))
    if (name !== '__proto__' && (typeof value === 'string' || typeof value === 'number'))
      parameters[name] = String(value)
  return parameters
}

function entriesOf(given: unknown): readonly (readonly [name: string, value: unknown])[] {
  if (Array.isArray(given))
    return given
      .slice(0, MAX_PARAMETERS)
      .flatMap(each => (isFields(each) ? [[textOf(each.name), each.value]] : []))
  return isFields(given) ? Object.entries(given).slice(0, MAX_PARAMETERS) : []
}

/** Parses a whole number of at most 15 digits, from a number or a string; otherwise NaN. */
export function wholeNumber(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN
  if (typeof value !== 'string' || value.length === 0 || value.length > 15) return Number.NaN
  let number = 0
  for (let at = 0; at < value.length; at++) {
    const digit = value.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}
