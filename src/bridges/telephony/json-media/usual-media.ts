import type { Inbound } from '../ports/media-dialect.ts'

// Each leg receives fifty media messages a second. All have the same fields in the same order, so they are compared and
// decoded byte by byte: without a string of the message, without JSON, and without objects for the garbage collector.

const CHUNK = bytesOf('","media":{"track":"inbound","chunk":"')
const TIMESTAMP = bytesOf('","timestamp":"')
const PAYLOAD = bytesOf('","payload":"')
const QUOTE = 0x22
const EQUALS = 0x3d
const BRACE = 0x7d
const MAX_DIGITS = 15

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The six bits of a base64 character; negative for any other byte. */
const SIX_BITS = new Int8Array(256).fill(-1)
for (let bits = 0; bits < ALPHABET.length; bits++) SIX_BITS[ALPHABET.charCodeAt(bits)] = bits
/** Bytes of stream ids: `\w` and `-`. */
const IN_ID = new Uint8Array(256)
for (let byte = 0; byte < 128; byte++) IN_ID[byte] = /[\w-]/.test(String.fromCharCode(byte)) ? 1 : 0

/** 20 ms. */
const USUAL_BYTES = 160
// Valid until the next message, as the contract of `MediaDialect.parse` allows.
const AUDIO = Buffer.allocUnsafeSlow(1_600)
const USUAL_AUDIO = AUDIO.subarray(0, USUAL_BYTES)

type Media = Extract<Inbound, { kind: 'media' }>

/** Names of two fields, and whether results have the number of the message in its track. */
export interface UsualMediaNames {
  readonly sequence: string
  readonly stream: string
  readonly numbered?: boolean
}

/**
 * Returns a parser of media messages of the inbound track, byte for byte as the carrier sends them. It returns undefined
 * for anything else, which can still be valid JSON. Its result is reused: it is valid until the next call.
 */
export function usualMedia({ sequence, stream, numbered = false }: UsualMediaNames) {
  const head = bytesOf(`{"event":"media","${sequence}":"`)
  const tail = bytesOf(`"},"${stream}":"`)
  const media = {
    kind: 'media' as const,
    streamId: '',
    track: 'inbound' as const,
    timestampMs: 0,
    payload: USUAL_AUDIO,
    ...(numbered ? { sequence: 0 } : {}),
  }
  return (data: Buffer): Media | undefined => parse(data, head, tail, media)
}

function parse(
  data: Buffer,
  head: Uint8Array,
  tail: Uint8Array,
  media: { -readonly [K in keyof Media]: Media[K] },
): Media | undefined {
  const chunk = digitsEnd(data, head.length)
  if (chunk === head.length || !has(head, data, 0) || !has(CHUNK, data, chunk)) return undefined
  const chunkDigits = chunk + CHUNK.length
  const time = digitsEnd(data, chunkDigits)
  if (time === chunkDigits || !has(TIMESTAMP, data, time)) return undefined
  const timeDigits = time + TIMESTAMP.length
  const timeEnd = digitsEnd(data, timeDigits)
  const digits = timeEnd - timeDigits
  if (digits === 0 || digits > MAX_DIGITS || !has(PAYLOAD, data, timeEnd)) return undefined
  const payload = timeEnd + PAYLOAD.length
  const payloadEnd = data.indexOf(QUOTE, payload)
  if (payloadEnd < 0 || !has(tail, data, payloadEnd)) return undefined
  const id = payloadEnd + tail.length
  const idEnd = data.length - 2
  if (idEnd < id || data[idEnd] !== QUOTE || data[idEnd + 1] !== BRACE) return undefined
  for (let at = id; at < idEnd; at++) if (IN_ID[data[at]!] === 0) return undefined
  const length = decodeBase64(data, payload, payloadEnd)
  if (length < 0) return undefined
  media.streamId = data.toString('latin1', id, idEnd)
  media.timestampMs = numberAt(data, timeDigits, timeEnd)
  if (media.sequence !== undefined) media.sequence = numberAt(data, chunkDigits, time)
  media.payload = length === USUAL_BYTES ? USUAL_AUDIO : AUDIO.subarray(0, length)
  return media
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}

/** Returns whether `expected` is in `data` at `start`. */
function has(expected: Uint8Array, data: Buffer, start: number): boolean {
  for (let at = 0; at < expected.length; at++) if (data[start + at] !== expected[at]) return false
  return true
}

/** Returns the end of the digits from `at` on. */
function digitsEnd(data: Buffer, at: number): number {
  let end = at
  while (data[end]! >= 0x30 && data[end]! <= 0x39) end++
  return end
}

function numberAt(data: Buffer, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) number = number * 10 + data[at]! - 0x30
  return number
}

/**
 * Decodes into `AUDIO` and returns the number of bytes: -1 if a character is not of base64, if there are too many, or
 * if one remains. Padding is optional.
 */
function decodeBase64(data: Buffer, from: number, to: number): number {
  let end = to
  if (end > from && data[end - 1] === EQUALS) end--
  if (end > from && data[end - 1] === EQUALS) end--
  const rest = (end - from) % 4
  const length = ((end - from) * 3) >> 2
  if (rest === 1 || length > AUDIO.length) return -1
  let seen = 0
  let out = 0
  let at = from
  for (const whole = end - rest; at < whole; at += 4) {
    const a = SIX_BITS[data[at]!]!
    const b = SIX_BITS[data[at + 1]!]!
    const c = SIX_BITS[data[at + 2]!]!
    const d = SIX_BITS[data[at + 3]!]!
    seen |= a | b | c | d
    AUDIO[out] = (a << 2) | (b >> 4)
    AUDIO[out + 1] = (b << 4) | (c >> 2)
    AUDIO[out + 2] = (c << 6) | d
    out += 3
  }
  if (rest > 0) {
    const a = SIX_BITS[data[at]!]!
    const b = SIX_BITS[data[at + 1]!]!
    const c = rest === 3 ? SIX_BITS[data[at + 2]!]! : 0
    seen |= a | b | c
    AUDIO[out] = (a << 2) | (b >> 4)
    if (rest === 3) AUDIO[out + 1] = (b << 4) | (c >> 2)
  }
  return seen < 0 ? -1 : length
}
