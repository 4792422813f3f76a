import { decoderFor, WavError, type WavFormat } from './wav-format.ts'

/** A WAV file whose samples are decoded as they are asked for; it keeps the bytes. */
export interface WavSound {
  /** Hz. */
  readonly rate: number
  readonly channels: number
  /** Samples of each channel. */
  readonly moments: number
  /** Bytes of sound that the header tells of and the file has not: it was cut short. */
  readonly missingBytes: number
  /** `count` moments from `from` on, the channels of one side by side; a new array. */
  read(from: number, count: number): Int16Array
}

/** What streaming writers put where they cannot know the size. */
export const UNKNOWN_SIZE = 0xffff_ffff
/** … and some of them the largest signed number, or nearly. */
export const NEARLY_UNKNOWN = 0x7fff_0000

/**
 * Opens a RIFF WAVE file (Microsoft, "Multiple channel audio data and WAVE files"): PCM of 8, 16, 24 or 32 bits,
 * float of 32 or 64, µ-law, also as WAVE_FORMAT_EXTENSIBLE. Chunks it does not know are passed over. Sizes are
 * believed only as far as the file goes: a header written before the length was known (0 or 0xFFFFFFFF) and a file cut
 * short give what is there, in whole moments. Any other fault throws {@link WavError}.
 */
export function openWav(bytes: Uint8Array): WavSound {
  const { view, body, size, format } = findWavData(bytes)
  return sound(view, body, size, format)
}

/** Where the sound of a WAV file is. */
export interface WavData {
  readonly view: DataView
  readonly format: WavFormat
  /** Where it begins. */
  readonly body: number
  /** Bytes, as the header says. */
  readonly size: number
}

/** Finds it. Throws as {@link openWav} does; `NO_FORMAT` and `NO_DATA` may only mean that it has not come yet. */
export function findWavData(bytes: Uint8Array): WavData {
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
      return { view, body, size, format }
    }
    at = body + size + (size % 2)
  }
  throw new WavError(
    'NO_DATA',
    format ? 'the file has no data chunk' : 'the file has neither fmt nor data chunk',
  )
}

function sound(view: DataView, body: number, size: number, format: WavFormat): WavSound {
  const { rate, channels, bytesPerMoment } = format
  const room = view.byteLength - body
  const length = size === 0 && !chunksFill(view, body) ? room : Math.min(size, room)
  const moments = Math.floor(length / bytesPerMoment)
  return {
    rate,
    channels,
    moments,
    missingBytes: size < NEARLY_UNKNOWN ? Math.max(0, size - room) : 0,
    read(from, count) {
      const most = Math.max(0, Math.min(count, moments - from))
      return format.decode(view, body + from * bytesPerMoment, most * channels)
    },
  }
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

function printable(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'nothing'
  return JSON.stringify(String.fromCharCode(...bytes.subarray(0, 12)).replace(/[^ -~]/g, '.'))
}
