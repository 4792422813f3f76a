import { decodeMulaw } from './g711.ts'
import { bytesOf, saturate } from './pcm.ts'

/**
 * Faults of a WAV file. `NOT_WAV`: not RIFF WAVE at all. `NO_FORMAT`, `NO_DATA`: the chunk is missing. `BAD_FORMAT`:
 * the format chunk is inconsistent or incomplete. `UNSUPPORTED`: an unsupported encoding.
 */
export type WavErrorCode = 'NOT_WAV' | 'NO_FORMAT' | 'NO_DATA' | 'BAD_FORMAT' | 'UNSUPPORTED'

/** An unreadable WAV file. */
export class WavError extends Error {
  override readonly name = 'WavError'
  readonly code: WavErrorCode

  constructor(code: WavErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The parsed format chunk. */
export interface WavFormat {
  readonly rate: number
  readonly channels: number
  /** Bytes per sample of all channels. */
  readonly bytesPerMoment: number
  /** Decodes `count` samples of `view` from byte `at` on into a new array. */
  decode(view: DataView, at: number, count: number): Int16Array
}

// Format tags, of mmreg.h.
const PCM = 1
const FLOAT = 3
const MULAW = 7
const EXTENSIBLE = 0xfffe

const SMALLEST_BYTES = 16
const EXTENSIBLE_BYTES = 26

/** Reads the format chunk of `size` bytes at `at`. Throws {@link WavError}. */
function decoderFor(view: DataView, at: number, size: number): WavFormat {
  if (at + size > view.byteLength) throw new WavError('NO_DATA', 'the file ends within its fmt chunk')
  if (size < SMALLEST_BYTES)
    throw new WavError('BAD_FORMAT', `the fmt chunk needs ${SMALLEST_BYTES} bytes, got ${size}`)
  let coding = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const rate = view.getUint32(at + 4, true)
  const align = view.getUint16(at + 12, true)
  const bits = view.getUint16(at + 14, true)
  if (coding === EXTENSIBLE) {
    if (size < EXTENSIBLE_BYTES)
      throw new WavError('BAD_FORMAT', `an extensible fmt chunk needs ${EXTENSIBLE_BYTES} bytes, got ${size}`)
    coding = view.getUint16(at + 24, true)
  }
  if (channels === 0 || rate === 0)
    throw new WavError('BAD_FORMAT', `${channels} channels at ${rate} Hz are not valid`)
  const decode = DECODERS[`${coding}/${bits}`]
  if (!decode)
    throw new WavError(
      'UNSUPPORTED',
      `cannot read format ${coding} of ${bits} bits: ${Object.keys(DECODERS).join(', ')}`,
    )
  const bytesPerMoment = channels * (bits / 8)
  if (align !== bytesPerMoment)
    throw new WavError(
      'BAD_FORMAT',
      `${channels} channels of ${bits} bits take ${bytesPerMoment} bytes, not ${align}`,
    )
  return { rate, channels, bytesPerMoment, decode }
}

type Decode = WavFormat['decode']

/** By format tag and bits per sample. */
const DECODERS: Readonly<Record<string, Decode | undefined>> = {
  // Eight bits are unsigned, unlike all other widths.
  [`${PCM}/8`]: each(1, (view, at) => (view.getUint8(at) - 128) << 8),
  [`${PCM}/16`]: each(2, (view, at) => view.getInt16(at, true)),
  [`${PCM}/24`]: each(3, (view, at) =>
    saturate(((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 256),
  ),
  [`${PCM}/32`]: each(4, (view, at) => saturate(view.getInt32(at, true) / 65_536)),
  [`${FLOAT}/32`]: each(4, (view, at) => fromFloat(view.getFloat32(at, true))),
  [`${FLOAT}/64`]: each(8, (view, at) => fromFloat(view.getFloat64(at, true))),
  [`${MULAW}/8`]: (view, at, count) => {
    const pcm = new Int16Array(count)
    decodeMulaw(new Uint8Array(view.buffer, view.byteOffset + at, count), pcm)
    return pcm
  },
}

function each(bytes: number, sample: (view: DataView, at: number) => number): Decode {
  return (view, at, count) => {
    const pcm = new Int16Array(count)
    for (let i = 0; i < count; i++) pcm[i] = sample(view, at + i * bytes)
    return pcm
  }
}

/** Full scale is 1; NaN becomes silence. */
function fromFloat(value: number): number {
  return Number.isNaN(value) ? 0 : saturate(value * 32_768)
}

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
const UNKNOWN_SIZE = 0xffff_ffff
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

/** Finds the audio. Throws like {@link openWav}; `NO_DATA` can mean that it has not arrived yet. */
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
    if (id === 'fmt ') format = decoderFor(view, body, size)
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

/** Averages all channels: returns `pcm` itself if there is only one, a new array otherwise. */
export function mono({ channels, pcm }: Omit<Wav, 'rate'> & Partial<Wav>): Int16Array {
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
