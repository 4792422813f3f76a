import { audioKind } from '../../transcode/audio-kind.ts'
import { replyBytes } from './reply-bytes.ts'

/** Fewer bytes than this are too little to be known as sound by what is in them. */
const TELLING_BYTES = 64
/** Fewer than this are not taken for sound even where sound came before. */
const FEWEST_BYTES = 12
/** Values of a result that are looked at, and how deep. */
const MOST_VALUES = 200
const DEEPEST = 4

/** Bytes as Socket.IO delivers them: a Buffer, an ArrayBuffer, any view of one. Undefined for anything else, and for none. */
export function binaryBytes(value: unknown): Uint8Array | undefined {
  const bytes = viewOf(value)
  return bytes && bytes.length > 0 ? bytes : undefined
}

/**
 * Bytes that travelled as text or numbers: base64, a `data:` URL, lists, what JSON makes of a Buffer or a typed array.
 * Anything might look like that, so they have to be sound by what is in them: at a place for audio (`named`) samples will do,
 * elsewhere it has to be mp3 or WAV. `known`: sound came at this place before; then a piece that begins anywhere is taken too.
 */
export function encodedAudio(value: unknown, named: boolean, known: boolean): Uint8Array | undefined {
  const bytes = replyBytes(value)
  if (!bytes || bytes.length < FEWEST_BYTES) return undefined
  if (known) return bytes
  const kind = bytes.length >= TELLING_BYTES ? audioKind(bytes) : undefined
  return kind && (named || kind !== 'pcm') ? bytes : undefined
}

/** Calls `look` with the values inside `payload` and the way to each, breadth first, until it returns true. Bounded. */
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

/** Samples from −1 to 1 as linear16. */
function samplesOf(floats: Float32Array | Float64Array): Uint8Array {
  const pcm = Int16Array.from(floats, value =>
    Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))),
  )
  return new Uint8Array(pcm.buffer)
}
