import { samplesOf } from '../../../transcode/pcm.ts'
import type { Speech } from './engine.ts'

/**
 * Wraps `pieces` as speech that has started: rejects when the first piece fails, and calls `rate` after that piece. A
 * consumer that stops early ends `pieces`.
 */
export async function primedSpeech(pieces: AsyncGenerator<Int16Array>, rate: () => number): Promise<Speech> {
  const first = await pieces.next()
  return { rate: rate(), pieces: fromFirst(first, pieces) }
}

async function* fromFirst(
  first: IteratorResult<Int16Array, unknown>,
  rest: AsyncGenerator<Int16Array>,
): AsyncGenerator<Int16Array> {
  try {
    if (!first.done) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/**
 * Splits `text` into pieces of at most `most` letters: after a sentence, else after a comma, else at a blank, else
 * anywhere.
 */
export function textPieces(text: string, most: number): string[] {
  const pieces: string[] = []
  let rest = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  while (rest.length > most) {
    const head = rest.slice(0, most + 1)
    const at =
      lastMatch(head, /[.?!…]["'”’»)]*(?=\s)/g) ??
      lastMatch(head, /[,;:](?=\s)/g) ??
      lastMatch(head, /(?=\s)/g) ??
      most
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return rest === '' ? pieces : [...pieces, rest]
}

/** Returns the end of the last match; undefined without a match, or with one only at the start. */
function lastMatch(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end === undefined || end === 0 || end >= text.length ? undefined : end
}

/** Maximum size of the chunks before the samples of a WAV; some writers put titles there. */
const MOST_HEADER_BYTES = 64 * 1024
/** Placeholder sizes of writers that do not know the size yet. */
const UNKNOWN_SIZES = [0, 0xffff_ffff]

/**
 * Reads a WAV (mono or stereo, linear16) incrementally, from bytes in arbitrary pieces; provides its rate and its
 * samples in mono.
 */
export class WavReader {
  #held: Uint8Array = new Uint8Array(0)
  #format: { rate: number; channels: number } | undefined
  /** Remaining bytes of samples; infinite if the header does not give the size. Undefined before the samples start. */
  #left: number | undefined

  /** Hz; 0 until the samples start. */
  get rate(): number {
    return this.#left === undefined ? 0 : (this.#format?.rate ?? 0)
  }

  /** True when all samples announced by the header were received, or if it announced none. */
  get complete(): boolean {
    return this.#left !== undefined && (this.#left === 0 || !Number.isFinite(this.#left))
  }

  /**
   * Returns the complete samples received so far; owned by the caller. Throws a `RangeError` if it is not such a WAV.
   */
  push(bytes: Uint8Array): Int16Array {
    let data = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    if (this.#left === undefined) {
      const body = this.#header(data)
      if (body === undefined) {
        this.#held = data.slice()
        return new Int16Array(0)
      }
      data = data.subarray(body)
    }
    const left = this.#left ?? 0
    const { channels } = this.#format!
    const whole = Math.min(left, data.length)
    const taken = whole - (whole % (2 * channels))
    this.#held = data.slice(taken, whole)
    this.#left = left - taken
    return inMono(samplesOf(data.subarray(0, taken)), channels)
  }

  /** Reads chunks up to the samples. Returns the offset of the samples, or undefined if more bytes are needed. */
  #header(data: Uint8Array): number | undefined {
    const view = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (view.length < 12) return undefined
    const form = view.toString('latin1', 0, 4) + view.toString('latin1', 8, 12)
    if (form !== 'RIFFWAVE') throw new RangeError('expected WAV, got another format')
    for (let at = 12; at + 8 <= view.length; ) {
      const id = view.toString('latin1', at, at + 4)
      const size = view.readUInt32LE(at + 4)
      if (id === 'data') {
        if (!this.#format) throw new RangeError('the WAV has no format chunk before its samples')
        this.#left = UNKNOWN_SIZES.includes(size) ? Number.POSITIVE_INFINITY : size
        return at + 8
      }
      if (id === 'fmt ' && at + 24 > view.length) return undefined
      if (id === 'fmt ') this.#format = formatAt(view, at + 8)
      at += 8 + size + (size % 2)
      if (at > MOST_HEADER_BYTES) throw new RangeError('the WAV has no samples')
    }
    return undefined
  }
}

function formatAt(view: Buffer, at: number): { rate: number; channels: number } {
  const [format, channels, bits] = [
    view.readUInt16LE(at),
    view.readUInt16LE(at + 2),
    view.readUInt16LE(at + 14),
  ]
  // 0xFFFE: the extensible form of the same format.
  if ((format !== 1 && format !== 0xfffe) || channels < 1 || channels > 2 || bits !== 16)
    throw new RangeError(`expected linear16 WAV, got format ${format}, ${channels} × ${bits} bit`)
  return { rate: view.readUInt32LE(at + 4), channels }
}

function inMono(samples: Int16Array, channels: number): Int16Array {
  if (channels === 1) return samples.slice()
  const mono = new Int16Array(samples.length >> 1)
  for (let n = 0; n < mono.length; n++) mono[n] = (samples[n * 2]! + samples[n * 2 + 1]!) >> 1
  return mono
}
