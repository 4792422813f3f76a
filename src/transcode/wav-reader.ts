import { findWavData, mono, NEARLY_UNKNOWN, WavError, type WavFormat } from './wav.ts'

/** Maximum size of the chunks before the samples; some writers put titles there. */
const MAX_HEADER_BYTES = 65_536
/** A file shorter than this has no chunk. */
const MIN_HEADER_BYTES = 12
const NO_SAMPLES = new Int16Array(0)

/**
 * Reads a WAV of 16-bit samples as it arrives, from bytes in any pieces, and returns its samples in mono at their own
 * rate. {@link openWav} reads complete files, `PcmStream` any PCM of a service.
 */
export class WavReader {
  #held: Uint8Array = new Uint8Array(0)
  /** Undefined until the samples start. */
  #format: WavFormat | undefined
  /** Remaining bytes of samples; infinite if the header does not give the size. */
  #left = 0

  /** Hz; 0 until the samples start. */
  get rate(): number {
    return this.#format?.rate ?? 0
  }

  /** True when all samples announced by the header were received, or if it announced none. */
  get complete(): boolean {
    return this.#format !== undefined && (this.#left === 0 || !Number.isFinite(this.#left))
  }

  /**
   * Returns the samples that `bytes` completes; owned by the caller. Throws a `RangeError` if it is not such a WAV.
   */
  push(bytes: Uint8Array): Int16Array {
    const data = this.#held.length === 0 ? bytes : joined(this.#held, bytes)
    const start = this.#format ? 0 : this.#open(data)
    if (!this.#format || start === undefined) {
      this.#held = data.slice()
      return NO_SAMPLES
    }
    const { decode, channels, bytesPerMoment } = this.#format
    const room = Math.min(this.#left, data.length - start)
    const taken = room - (room % bytesPerMoment)
    this.#held = data.slice(start + taken, start + room)
    this.#left -= taken
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    return mono({ channels, pcm: decode(view, start, taken / 2) })
  }

  /** Reads the header. Returns the offset of the samples, or undefined if more bytes are needed. */
  #open(data: Uint8Array): number | undefined {
    if (data.length < MIN_HEADER_BYTES) return undefined
    try {
      const { format, body, size } = findWavData(data)
      if (body > MAX_HEADER_BYTES) throw new RangeError(`no samples in the first ${body} bytes of the WAV`)
      if (format.bytesPerMoment !== 2 * format.channels)
        throw new RangeError('expected a WAV of 16-bit samples')
      this.#format = format
      this.#left = size === 0 || size >= NEARLY_UNKNOWN ? Number.POSITIVE_INFINITY : size
      return body
    } catch (error) {
      if (!(error instanceof WavError)) throw error
      if (error.code === 'NO_DATA' && data.length <= MAX_HEADER_BYTES) return undefined
      throw new RangeError(error.message, { cause: error })
    }
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const all = new Uint8Array(head.length + tail.length)
  all.set(head)
  all.set(tail, head.length)
  return all
}
