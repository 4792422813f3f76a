import { samplesOf } from '../../../transcode/pcm.ts'

/** Bytes before the samples in the WAV that speech engines stream; its sizes are not yet known when it is written. */
const HEADER_BYTES = 44
const RATE_OFFSET = 24

/** Takes a WAV (mono, linear16) as it is written, cut anywhere, and gives its rate and its samples. */
export class WavReader {
  #held: Uint8Array = new Uint8Array(0)
  #rate = 0

  /** Hz; 0 until the header has come. */
  get rate(): number {
    return this.#rate
  }

  /** Whole samples of what has come so far. The result is the caller's. Throws when it is no such WAV. */
  push(bytes: Uint8Array): Int16Array {
    let data = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    if (this.#rate === 0) {
      if (data.length < HEADER_BYTES) {
        this.#held = data.slice()
        return new Int16Array(0)
      }
      this.#rate = rateOf(data)
      data = data.subarray(HEADER_BYTES)
    }
    const even = data.length - (data.length % 2)
    this.#held = data.slice(even)
    return samplesOf(data.subarray(0, even)).slice()
  }
}

function rateOf(data: Uint8Array): number {
  const header = Buffer.from(data.buffer, data.byteOffset, HEADER_BYTES)
  const form = header.toString('latin1', 0, 4) + header.toString('latin1', 8, 16)
  const [format, channels, bits] = [header.readUInt16LE(20), header.readUInt16LE(22), header.readUInt16LE(34)]
  if (form !== 'RIFFWAVEfmt ' || format !== 1 || channels !== 1 || bits !== 16)
    throw new RangeError(
      `speech comes as mono linear16 WAV, got ${form} format ${format}, ${channels} × ${bits} bit`,
    )
  return header.readUInt32LE(RATE_OFFSET)
}
