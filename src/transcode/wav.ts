import { ChannelMixer } from './channel-mixer.ts'
import { bytesOf, concat } from './pcm.ts'
import { WavError } from './wav-format.ts'
import { type WavAudio, WavReader } from './wav-reader.ts'

/** Placeholder of streaming writers for an unknown size. */
const UNKNOWN_SIZE = 0xffff_ffff

/** A WAV file in memory. */
export interface Wav {
  /** Hz. */
  readonly rate: number
  readonly channels: number
  /** 16-bit samples, interleaved. */
  readonly pcm: Int16Array
}

const HEADER_BYTES = 44

/**
 * Reads all samples of a WAV file at once, as {@link WavReader} does, from as much of it as there is. `bytes` is not kept.
 * Throws {@link WavError}, also if the format changes within the file.
 */
export function readWav(bytes: Uint8Array): Wav {
  const reader = new WavReader()
  const found = [...reader.push(bytes), ...reader.end()]
  const { rate, channels } = found[0]?.format ?? reader.format!
  if (found.some(({ format }) => format.rate !== rate || format.channels !== channels))
    throw new WavError('UNSUPPORTED', 'the WAV changes its rate or channels')
  const pieces = found.map(({ format, view, at, bytes }) => format.decode(view, at, bytes))
  return { rate, channels, pcm: concat(pieces) }
}

/** A WAV in pieces of any size, as engines send it, in; mono at its own rate out. Throws {@link WavError}. */
export class WavSpeech {
  readonly #reader = new WavReader()
  #mixer = new ChannelMixer(1)
  #rate = 0

  /** Hz; 0 until the samples start. */
  get rate(): number {
    return this.#rate
  }

  /** True if all samples that the header announced were received ({@link WavReader.complete}). */
  get complete(): boolean {
    return this.#reader.complete
  }

  /** Returns the samples that `bytes` complete; owned by the caller. */
  push(bytes: Uint8Array): Int16Array {
    return this.#decode(this.#reader.push(bytes))
  }

  /** No more bytes follow. Returns the rest of the samples. */
  end(): Int16Array {
    return this.#decode(this.#reader.end())
  }

  #decode(found: readonly WavAudio[]): Int16Array {
    const pieces = found.map(({ format, view, at, bytes }) => {
      this.#rate ||= format.rate
      if (format.rate !== this.#rate) throw new WavError('UNSUPPORTED', 'the WAV changes its rate')
      if (this.#mixer.channels !== format.channels) this.#mixer = new ChannelMixer(format.channels)
      return this.#mixer.mix(format.decode(view, at, bytes))
    })
    return concat(pieces)
  }
}

/** Mixes all channels to one ({@link ChannelMixer}): returns `pcm` itself if there is only one, a new array otherwise. */
export function mono({ channels, pcm }: Omit<Wav, 'rate'> & Partial<Wav>): Int16Array {
  return new ChannelMixer(channels).mix(pcm)
}

/**
 * Returns the 44-byte header for `samples` samples *of each channel* of 16-bit PCM at `rate` Hz; Infinity for a stream
 * of unknown length. Throws RangeError for a number that the header cannot hold.
 */
export function wavHeader(rate: number, channels: number, samples: number): Uint8Array {
  if (!Number.isInteger(rate) || rate < 1 || rate > 0xffff_ffff)
    throw new RangeError(`the rate must be an integer from 1 to ${0xffff_ffff} Hz, got ${rate}`)
  if (!Number.isInteger(channels) || channels < 1 || channels > 0x7fff)
    throw new RangeError(`channels must be an integer from 1 to ${0x7fff}, got ${channels}`)
  const size = samples === Infinity ? UNKNOWN_SIZE : samples * channels * 2
  if (!Number.isInteger(samples) ? samples !== Infinity : samples < 0 || size > UNKNOWN_SIZE - 36)
    throw new RangeError(`samples must be an integer that fits 4 GiB, or Infinity, got ${samples}`)

  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  putTag(header, 0, 'RIFF')
  view.setUint32(4, Math.min(size + 36, UNKNOWN_SIZE), true)
  putTag(header, 8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, Math.min(rate * channels * 2, 0xffff_ffff), true)
  view.setUint16(32, (channels * 2) & 0xffff, true)
  view.setUint16(34, 16, true)
  putTag(header, 36, 'data')
  view.setUint32(40, size, true)
  return header
}

/** Returns a complete WAV file of mono `pcm` at `rate` Hz. Throws RangeError for a rate like {@link wavHeader}. */
export function encodeWav(pcm: Int16Array, rate: number): Uint8Array {
  const file = new Uint8Array(HEADER_BYTES + pcm.byteLength)
  file.set(wavHeader(rate, 1, pcm.length))
  file.set(bytesOf(pcm), HEADER_BYTES)
  return file
}

function putTag(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
}
