import { decoderFor, WavError, type WavFormat } from './wav-format.ts'

/** A WAV file whose samples are decoded on demand; it keeps the bytes. */
export interface WavSound {
  /** Hz. */
  readonly rate: number
  readonly channels: number
  /** Samples per channel. */
  readonly moments: number
  /** Bytes of audio announced by the header but missing in a truncated file. */
  readonly missingBytes: number
  /** Reads `count` samples per channel from `from` on, interleaved, into a new array. */
  read(from: number, count: number): Int16Array
}

/** Placeholder of streaming writers for an unknown size. */
export const UNKNOWN_SIZE = 0xffff_ffff
/** Some use the largest signed number, or nearly. */
export const NEARLY_UNKNOWN = 0x7fff_0000

/**
 * Opens a RIFF WAVE file (Microsoft, "Multiple channel audio data and WAVE files"): PCM of 8, 16, 24 or 32 bits, float
 * of 32 or 64, µ-law, also as WAVE_FORMAT_EXTENSIBLE. Unknown chunks are skipped. Sizes are limited to the file: a
 * header written before the length was known (0 or 0xFFFFFFFF), or a truncated file, yields the samples that exist,
 * complete for all channels. Any other fault throws {@link WavError}.
 */
export function openWav(bytes: Uint8Array): WavSound {
  const { view, body, size, format } = findWavData(bytes)
  return sound(view, body, size, format)
}

/** Location of the audio in a WAV file. */
export interface WavData {
  readonly view: DataView
  readonly format: WavFormat
  /** Offset of its first byte. */
  readonly body: number
  /** Size in bytes according to the header. */
  readonly size: number
}

/** Finds the audio. Throws like {@link openWav}; `NO_FORMAT` and `NO_DATA` can mean that it has not arrived yet. */
export function findWavData(bytes: Uint8Array): WavData {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kind = tag(view, 0)
  if ((kind !== 'RIFF' && kind !== 'RF64') || tag(view, 8) !== 'WAVE')
    throw new WavError('NOT_WAV', `expected a WAV file (RIFF, a size and WAVE), got ${printable(bytes)}`)

  let format: WavFormat | undefined
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const id = tag(view, at)
    const size = view.getUint32(at + 4, true)
    const body = at + 8
    if (id === 'fmt ') format = decoderFor(view, body, Math.min(size, view.byteLength - body))
    if (id === 'data') {
      if (!format) throw new WavError('NO_FORMAT', 'the data chunk precedes the fmt chunk')
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

/**
 * True if the rest of the file from `at` consists of complete chunks: a data chunk of size 0 before it is then really
 * empty.
 */
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
