import { audioKind } from '../../transcode/container/audio-kind.ts'

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

/** Minimum size for detecting audio by its content (bytes). */
const TELLING_BYTES = 64
/** Minimum size of audio, even where audio was found before (bytes). */
const FEWEST_BYTES = 12
/** Maximum number of values inspected in a result, and maximum depth. */
const MOST_VALUES = 200
const DEEPEST = 4

/**
 * Returns bytes as Socket.IO delivers them: a Buffer, an ArrayBuffer or a view of one. Undefined for other values and
 * for empty ones.
 */
export function binaryBytes(value: unknown): Uint8Array | undefined {
  const bytes = viewOf(value)
  return bytes && bytes.length > 0 ? bytes : undefined
}

/**
 * Decodes bytes sent as text or numbers: base64, a `data:` URL, lists, a Buffer or typed array serialized as JSON.
 * Other values can look the same, so the bytes must be audio by content: at a path for audio (`named`) samples are
 * enough, elsewhere it must be mp3 or WAV. `known`: this path has carried audio before, so a piece with any start is
 * accepted.
 */
export function encodedAudio(value: unknown, named: boolean, known: boolean): Uint8Array | undefined {
  const bytes = replyBytes(value)
  if (!bytes || bytes.length < FEWEST_BYTES) return undefined
  if (known) return bytes
  const kind = bytes.length >= TELLING_BYTES ? audioKind(bytes) : undefined
  return kind && (named || kind !== 'pcm') ? bytes : undefined
}

/**
 * Calls `look` with the values inside `payload` and the path of each, breadth first, until it returns true. Bounded.
 */
export function eachValue(payload: unknown, look: (value: unknown, place: string) => boolean): void {
  const line: { value: unknown; place: string; depth: number }[] = [{ value: payload, place: '', depth: 0 }]
  for (let at = 0; at < line.length; at++) {
    const { value, place, depth } = line[at]!
    if (look(value, place)) return
    if (typeof value !== 'object' || value === null || viewOf(value) || depth === DEEPEST) continue
    for (const [name, inside] of Object.entries(value)) {
      if (line.length >= MOST_VALUES) break
      line.push({ value: inside, place: `${place}.${name}`, depth: depth + 1 })
    }
  }
}

function viewOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (value instanceof Float32Array || value instanceof Float64Array) return samplesOf(value)
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value)
  return undefined
}

/** Converts samples from −1 to 1 to linear16. */
function samplesOf(floats: Float32Array | Float64Array): Uint8Array {
  const pcm = Int16Array.from(floats, value =>
    Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))),
  )
  return new Uint8Array(pcm.buffer)
}
