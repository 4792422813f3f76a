import { bytesOf } from './pcm.ts'
import { saturate } from './saturate.ts'
import { openWav, UNKNOWN_SIZE } from './wav-sound.ts'

/** A WAV file in memory. */
export interface Wav {
  /** Hz. */
  readonly rate: number
  readonly channels: number
  /** 16-bit samples, interleaved. */
  readonly pcm: Int16Array
}

const HEADER_BYTES = 44

/** Reads all samples of a WAV file at once, with the formats and errors of {@link openWav}. `bytes` is not kept. */
export function readWav(bytes: Uint8Array): Wav {
  const sound = openWav(bytes)
  return { rate: sound.rate, channels: sound.channels, pcm: sound.read(0, sound.moments) }
}

/** Averages all channels: returns `wav.pcm` itself if there is only one, a new array otherwise. */
export function mono(wav: Wav): Int16Array {
  const { channels, pcm } = wav
  if (channels === 1) return pcm
  const mixed = new Int16Array(Math.floor(pcm.length / channels))
  for (let i = 0; i < mixed.length; i++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += pcm[i * channels + channel]!
    mixed[i] = saturate(sum / channels)
  }
  return mixed
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
