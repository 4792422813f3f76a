import { audioKind } from '../../transcode/container/audio-kind.ts'
import { replyBytes } from './reply-bytes.ts'

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
