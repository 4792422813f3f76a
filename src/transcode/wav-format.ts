import { decodeIma, decodeMs, imaSamples, msSamples } from './adpcm.ts'
import { decodeAlaw, decodeMulaw } from './g711.ts'
import { saturate } from './pcm.ts'

/**
 * Faults of a WAV file. `NOT_WAV`: not RIFF WAVE at all. `NO_FORMAT`, `NO_DATA`: the chunk is missing. `BAD_FORMAT`:
 * the format chunk, or the structure of the file, is not valid. `UNSUPPORTED`: an unsupported coding.
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

/**
 * The parsed format chunk. Audio consists of blocks: a sample of each channel, or in ADPCM, many of them. The last block
 * of a file can be shorter.
 */
export interface WavFormat {
  /** Hz. */
  readonly rate: number
  readonly channels: number
  /** Bytes of a block. */
  readonly blockBytes: number
  /** Average bytes per second, by its own fields. */
  readonly byteRate: number
  /** Returns the samples per channel in `bytes`: blocks, and possibly a shorter one at the end. */
  samples(bytes: number): number
  /** Decodes `bytes` of `view` from byte `at` on, interleaved, into a new array. */
  decode(view: DataView, at: number, bytes: number): Int16Array
}

// Format tags, of mmreg.h.
const PCM = 1
const MS_ADPCM = 2
const FLOAT = 3
const ALAW = 6
const MULAW = 7
const IMA_ADPCM = 0x11
const EXTENSIBLE = 0xfffe
/** Format tag of MP3, which the readers of MP3 decode. */
export const WAV_MP3 = 0x55

/** Codings in words: those above, and those of other files that exist. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [PCM, 'PCM'],
  [MS_ADPCM, 'MS ADPCM'],
  [FLOAT, 'float'],
  [ALAW, 'A-law'],
  [MULAW, 'µ-law'],
  [0x10, 'OKI ADPCM'],
  [IMA_ADPCM, 'IMA ADPCM'],
  [0x14, 'G.723 ADPCM'],
  [0x17, 'Dialogic ADPCM'],
  [0x20, 'Yamaha ADPCM'],
  [0x22, 'TrueSpeech'],
  [0x31, 'GSM 6.10'],
  [0x40, 'G.721 ADPCM'],
  [0x42, 'G.723.1'],
  [0x45, 'G.726 ADPCM'],
  [0x50, 'MPEG layer I or II'],
  [WAV_MP3, 'MP3'],
  [0x64, 'G.726 ADPCM'],
  [0x65, 'G.722 ADPCM'],
  [0x83, 'G.729'],
  [0xff, 'AAC'],
  [0x160, 'Windows Media Audio'],
  [0x161, 'Windows Media Audio'],
  [0x162, 'Windows Media Audio'],
  [0x163, 'Windows Media Audio'],
  [0x1600, 'AAC'],
  [0x1602, 'AAC'],
  [0x2000, 'AC-3'],
  [0x2001, 'DTS'],
  [0x4653, 'Flash ADPCM'],
  [0x566f, 'Vorbis'],
  [0x674f, 'Vorbis'],
  [0x6750, 'Vorbis'],
  [0x6751, 'Vorbis'],
  [0x676f, 'Vorbis'],
  [0x6770, 'Vorbis'],
  [0x6771, 'Vorbis'],
  [0x704f, 'Opus'],
  [0xa109, 'Speex'],
  [0xf1ac, 'FLAC'],
])

const SMALLEST_BYTES = 16
const EXTENSIBLE_BYTES = 26
/** Number of bytes at the start of the format chunk that can matter. */
export const FORMAT_BYTES = 40
const MAX_CHANNELS = 64
/** Maximum size of a block of ADPCM; writers use 256 to 4096 bytes. */
const MAX_BLOCK_BYTES = 16_384

/**
 * Reads a format chunk of `size` bytes whose first bytes are at `at`, {@link FORMAT_BYTES} at most. Block align and byte
 * rate follow from the other fields, and writers often get them wrong, so they are not read, except the align of ADPCM.
 * Throws {@link WavError}.
 */
export function wavFormat(view: DataView, at: number, size: number): WavFormat {
  const coding = codingAt(view, at, size)
  const channels = view.getUint16(at + 2, true)
  const rate = view.getUint32(at + 4, true)
  const align = view.getUint16(at + 12, true)
  const bits = view.getUint16(at + 14, true)
  if (channels === 0 || rate === 0)
    throw new WavError('BAD_FORMAT', `${channels} channels at ${rate} Hz are not valid`)
  if (channels > MAX_CHANNELS)
    throw new WavError('UNSUPPORTED', `the WAV has ${channels} channels, allowed are 1 to ${MAX_CHANNELS}`)
  switch (coding) {
    case PCM:
    case FLOAT: {
      // Samples of 12 or 20 bits are in the high bits of whole bytes.
      const bytes = Math.ceil(bits / 8)
      const sample = (coding === PCM ? PCM_SAMPLES : FLOAT_SAMPLES)[bytes]
      if (!sample || (coding === FLOAT && bits % 32 !== 0)) break
      return plain(rate, channels, bytes, (view, from, count) => {
        const pcm = new Int16Array(count)
        for (let i = 0; i < count; i++) pcm[i] = sample(view, from + i * bytes)
        return pcm
      })
    }
    case ALAW:
      return plain(rate, channels, 1, telephone(decodeAlaw))
    case MULAW:
      return plain(rate, channels, 1, telephone(decodeMulaw))
    case IMA_ADPCM:
      return adpcm(rate, channels, align, imaSamples, decodeIma)
    case MS_ADPCM:
      return adpcm(rate, channels, align, msSamples, decodeMs)
  }
  const name = NAMES.get(coding) ?? `format 0x${coding.toString(16)}`
  throw new WavError(
    'UNSUPPORTED',
    `the WAV holds ${name}${coding === PCM || coding === FLOAT ? ` of ${bits} bits` : ''}, allowed: PCM of 8 to 32 or 64 bits, float of 32 or 64 bits, A-law, µ-law, IMA ADPCM, MS ADPCM, MP3`,
  )
}

function codingAt(view: DataView, at: number, size: number): number {
  if (size < SMALLEST_BYTES)
    throw new WavError('BAD_FORMAT', `the fmt chunk needs ${SMALLEST_BYTES} bytes, got ${size}`)
  const coding = view.getUint16(at, true)
  if (coding !== EXTENSIBLE) return coding
  if (size < EXTENSIBLE_BYTES)
    throw new WavError('BAD_FORMAT', `an extensible fmt chunk needs ${EXTENSIBLE_BYTES} bytes, got ${size}`)
  return view.getUint16(at + 24, true)
}

type ReadSample = (view: DataView, at: number) => number

/** By bytes per sample. */
const PCM_SAMPLES: Readonly<Record<number, ReadSample | undefined>> = {
  // Eight bits are unsigned, unlike all other widths.
  1: (view, at) => (view.getUint8(at) - 128) << 8,
  2: (view, at) => view.getInt16(at, true),
  3: (view, at) => saturate(((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 256),
  4: (view, at) => saturate(view.getInt32(at, true) / 65_536),
  8: (view, at) => saturate(view.getInt32(at + 4, true) / 65_536),
}
const FLOAT_SAMPLES: Readonly<Record<number, ReadSample | undefined>> = {
  4: (view, at) => fromFloat(view.getFloat32(at, true)),
  8: (view, at) => fromFloat(view.getFloat64(at, true)),
}

/** Full scale is 1; NaN becomes silence. */
function fromFloat(value: number): number {
  return Number.isNaN(value) ? 0 : saturate(value * 32_768)
}

function telephone(decode: (bytes: Uint8Array, out: Int16Array) => void) {
  return (view: DataView, at: number, count: number): Int16Array => {
    const pcm = new Int16Array(count)
    decode(new Uint8Array(view.buffer, view.byteOffset + at, count), pcm)
    return pcm
  }
}

/** A coding of `bytes` per sample; `read` decodes a number of samples of all channels. */
function plain(
  rate: number,
  channels: number,
  bytes: number,
  read: (view: DataView, at: number, count: number) => Int16Array,
): WavFormat {
  const blockBytes = channels * bytes
  const samples = (length: number) => Math.floor(length / blockBytes)
  return {
    rate,
    channels,
    blockBytes,
    byteRate: rate * blockBytes,
    samples,
    decode: (view, at, length) => read(view, at, samples(length) * channels),
  }
}

/** Linear16 without a header. */
export function rawFormat(rate: number): WavFormat {
  return plain(rate, 1, 2, (view, at, count) => {
    const pcm = new Int16Array(count)
    for (let i = 0; i < count; i++) pcm[i] = view.getInt16(at + 2 * i, true)
    return pcm
  })
}

function adpcm(
  rate: number,
  channels: number,
  blockBytes: number,
  samplesOf: typeof imaSamples,
  decodeBlock: typeof decodeIma,
): WavFormat {
  const whole = samplesOf(blockBytes, channels)
  if (whole === 0 || blockBytes > MAX_BLOCK_BYTES)
    throw new WavError(
      'BAD_FORMAT',
      `blocks of ${blockBytes} bytes are not valid for ${channels} channels of ADPCM`,
    )
  const samples = (length: number) =>
    Math.floor(length / blockBytes) * whole + samplesOf(length % blockBytes, channels)
  return {
    rate,
    channels,
    blockBytes,
    byteRate: (rate * blockBytes) / whole,
    samples,
    decode(view, at, length) {
      const pcm = new Int16Array(samples(length) * channels)
      for (let from = 0, to = 0; to < pcm.length; from += blockBytes, to += whole * channels)
        decodeBlock(view, at + from, Math.min(blockBytes, length - from), channels, pcm, to)
      return pcm
    },
  }
}

/** Magic of WAV files; the latter two have 64-bit sizes in a chunk `ds64` (EBU Tech 3306, ITU-R BS.2088). */
const MAGIC = ['RIFF', 'RF64', 'BW64']
export const WAV_START_BYTES = 12

/** True if a WAV starts at `at`, judging by as many of its first 12 bytes as there are (at least one). */
export function mayBeWav(bytes: Uint8Array, at: number): boolean {
  const most = Math.min(bytes.length - at, WAV_START_BYTES)
  if (most <= 0) return false
  return MAGIC.some(magic => {
    for (let n = 0; n < most; n++) {
      const letter = n < 4 ? magic : n < 8 ? undefined : 'WAVE'
      if (letter && bytes[at + n] !== letter.charCodeAt(n % 4)) return false
    }
    return true
  })
}

/** True if a WAV starts at `at`. */
export function isWav(bytes: Uint8Array, at = 0): boolean {
  return at + WAV_START_BYTES <= bytes.length && mayBeWav(bytes, at)
}

/** Maximum number of chunks before the format chunk that are skipped in {@link wavCoding}. */
const FIRST_CHUNKS = 100

/** Returns the format tag of the WAV that `bytes` start with; undefined if they do not reach it. */
export function wavCoding(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = WAV_START_BYTES, n = 0; at + 8 <= bytes.length && n < FIRST_CHUNKS; n++) {
    const size = view.getUint32(at + 4, true)
    if (chunkId(view, at) === 'fmt ') {
      if (at + 8 + Math.min(size, EXTENSIBLE_BYTES) > bytes.length || size < SMALLEST_BYTES) return undefined
      return size < EXTENSIBLE_BYTES ? view.getUint16(at + 8, true) : codingAt(view, at + 8, size)
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** Four letters. */
export function chunkId(view: DataView, at: number): string {
  return String.fromCharCode(
    view.getUint8(at),
    view.getUint8(at + 1),
    view.getUint8(at + 2),
    view.getUint8(at + 3),
  )
}
