import { samplesOf } from '../../../transcode/pcm.ts'

/** Bytes within which the samples of a WAV begin: some writers put titles and other chunks before them. */
const MOST_HEADER_BYTES = 64 * 1024
/** Sizes that writers put where they do not know it yet. */
const UNKNOWN_SIZES = [0, 0xffff_ffff]

/** Takes a WAV (mono or stereo, linear16) as it is written, cut anywhere, and gives its rate and its samples in mono. */
export class WavReader {
  #held: Uint8Array = new Uint8Array(0)
  #format: { rate: number; channels: number } | undefined
  /** Bytes of samples still to come; infinite when the header did not tell. Undefined before they begin. */
  #left: number | undefined

  /** Hz; 0 until the samples begin. */
  get rate(): number {
    return this.#left === undefined ? 0 : (this.#format?.rate ?? 0)
  }

  /** Whether all samples have come that the header promised; true when it did not promise any. */
  get complete(): boolean {
    return this.#left !== undefined && (this.#left === 0 || !Number.isFinite(this.#left))
  }

  /** Whole samples of what has come so far. The result is the caller's. Throws a `RangeError` when it is no such WAV. */
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

  /** Reads chunks up to the samples. Answers where these begin; undefined when more is needed to tell. */
  #header(data: Uint8Array): number | undefined {
    const view = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (view.length < 12) return undefined
    const form = view.toString('latin1', 0, 4) + view.toString('latin1', 8, 12)
    if (form !== 'RIFFWAVE') throw new RangeError('speech comes as WAV, this is none')
    for (let at = 12; at + 8 <= view.length; ) {
      const id = view.toString('latin1', at, at + 4)
      const size = view.readUInt32LE(at + 4)
      if (id === 'data') {
        if (!this.#format) throw new RangeError('speech comes as WAV, this one does not tell its format')
        this.#left = UNKNOWN_SIZES.includes(size) ? Number.POSITIVE_INFINITY : size
        return at + 8
      }
      if (id === 'fmt ' && at + 24 > view.length) return undefined
      if (id === 'fmt ') this.#format = formatAt(view, at + 8)
      at += 8 + size + (size % 2)
      if (at > MOST_HEADER_BYTES) throw new RangeError('speech comes as WAV, this one has no samples')
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
  // 0xFFFE: the extensible form of the same.
  if ((format !== 1 && format !== 0xfffe) || channels < 1 || channels > 2 || bits !== 16)
    throw new RangeError(`speech comes as linear16 WAV, got format ${format}, ${channels} × ${bits} bit`)
  return { rate: view.readUInt32LE(at + 4), channels }
}

function inMono(samples: Int16Array, channels: number): Int16Array {
  if (channels === 1) return samples.slice()
  const mono = new Int16Array(samples.length >> 1)
  for (let n = 0; n < mono.length; n++) mono[n] = (samples[n * 2]! + samples[n * 2 + 1]!) >> 1
  return mono
}
