import { bytesOf } from './pcm.ts'
import { saturate } from './saturate.ts'
import { decoderFor, WavError, type WavFormat } from './wav-format.ts'

/** A WAV file in memory. */
export interface Wav {
  /** Hz. */
  readonly rate: number
  readonly channels: number
  /** 16-bit samples, the channels of one moment side by side. */
  readonly pcm: Int16Array
}

const HEADER_BYTES = 44
/** What streaming writers put where they cannot know the size. */
const UNKNOWN_SIZE = 0xffff_ffff

/**
 * Reads a RIFF WAVE file (Microsoft, "Multiple channel audio data and WAVE files"): PCM of 8, 16, 24 or 32 bits,
 * float of 32 or 64, µ-law, also as WAVE_FORMAT_EXTENSIBLE. Chunks it does not know are passed over. Sizes are
 * believed only as far as the file goes: a header written before the length was known (0 or 0xFFFFFFFF) and a file cut
 * short give what is there, in whole moments. Any other fault throws {@link WavError}. `bytes` is not kept.
 */
export function readWav(bytes: Uint8Array): Wav {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kind = tag(view, 0)
  if ((kind !== 'RIFF' && kind !== 'RF64') || tag(view, 8) !== 'WAVE')
    throw new WavError(
      'NOT_WAV',
      `a WAV file begins with RIFF, a size and WAVE, this one with ${printable(bytes)}`,
    )

  let format: WavFormat | undefined
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const id = tag(view, at)
    const size = view.getUint32(at + 4, true)
    const body = at + 8
    if (id === 'fmt ') format = decoderFor(view, body, Math.min(size, view.byteLength - body))
    if (id === 'data') {
      if (!format) throw new WavError('NO_FORMAT', 'the data chunk comes before any fmt chunk')
      const room = view.byteLength - body
      const length = size === 0 && !chunksFill(view, body) ? room : Math.min(size, room)
      const moments = Math.floor(length / format.bytesPerMoment)
      const pcm = format.decode(view, body, moments * format.channels)
      return { rate: format.rate, channels: format.channels, pcm }
    }
    at = body + size + (size % 2)
  }
  throw new WavError(
    'NO_DATA',
    format ? 'the file has no data chunk' : 'the file has neither fmt nor data chunk',
  )
}

/** The mean of all channels: `wav.pcm` itself if there is only one, a new array otherwise. */
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
 * The 44 bytes before `samples` samples *of each channel* of 16-bit PCM at `rate` Hz; Infinity for a stream whose
 * length is not known yet. Throws RangeError for a number that the header cannot hold.
 */
export function wavHeader(rate: number, channels: number, samples: number): Uint8Array {
  if (!Number.isInteger(rate) || rate < 1 || rate > 0xffff_ffff)
    throw new RangeError(`a rate is a whole number of Hz from 1 to ${0xffff_ffff}, got ${rate}`)
  if (!Number.isInteger(channels) || channels < 1 || channels > 0x7fff)
    throw new RangeError(`channels are a whole number from 1 to ${0x7fff}, got ${channels}`)
  const size = samples === Infinity ? UNKNOWN_SIZE : samples * channels * 2
  if (!Number.isInteger(samples) ? samples !== Infinity : samples < 0 || size > UNKNOWN_SIZE - 36)
    throw new RangeError(`samples are a whole number that fits 4 GiB, or Infinity, got ${samples}`)

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

/** A whole WAV file of mono `pcm` at `rate` Hz. Throws RangeError for a rate as {@link wavHeader} does. */
export function encodeWav(pcm: Int16Array, rate: number): Uint8Array {
  const file = new Uint8Array(HEADER_BYTES + pcm.byteLength)
  file.set(wavHeader(rate, 1, pcm.length))
  file.set(bytesOf(pcm), HEADER_BYTES)
  return file
}

/** Whether the rest of the file from `at` is whole chunks: then a data chunk of size 0 before it is truly empty. */
function chunksFill(view: DataView, at: number): boolean {
  let next = at
  while (next + 8 <= view.byteLength) {
    if (!/^[ -~]{4}$/.test(tag(view, next))) return false
    const size = view.getUint32(next + 4, true)
    next += 8 + size + (size % 2)
  }
  return next === view.byteLength
}

function tag(view: DataView, at: number): string {
  if (at + 4 > view.byteLength) return ''
  return String.fromCharCode(
    view.getUint8(at),
    view.getUint8(at + 1),
    view.getUint8(at + 2),
    view.getUint8(at + 3),
  )
}

function putTag(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
}

function printable(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'nothing'
  return JSON.stringify(String.fromCharCode(...bytes.subarray(0, 12)).replace(/[^ -~]/g, '.'))
}
