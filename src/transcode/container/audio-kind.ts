import { id3Length } from '../mp3/file-start.ts'
import { mp3HeaderAt, sameStream } from '../mp3/header.ts'
import { isWav, WAV_MP3, wavCoding } from '../wav-format.ts'

/** Formats of speech audio. `pcm`: headerless linear16 samples. */
export type AudioKind = 'mp3' | 'wav' | 'pcm'

/** Number of bytes sufficient for detection. */
export const TELLING_BYTES = 4096
/** Minimum size for detecting samples; fewer bytes can look like samples by chance (10 ms at 16 kHz). */
const FEWEST_PCM_BYTES = 320
/** Number of samples examined. */
const LOOKED_AT = 2048
/**
 * Maximum mean magnitude of audio samples; compressed or encrypted bytes interpreted as samples are far louder (32 768
 * is full scale).
 */
const QUIET = 6_000
/** Maximum mean difference of consecutive samples, relative to their mean deviation. */
const SMOOTH = 1
/** Maximum mean of audio samples; text and tables have a larger one. */
const MEAN_MOST = 6_000
/** Magic bytes of formats that are neither samples nor readable here: ID3 with a damaged size, Ogg, FLAC, Matroska, AIFF, AU, RIFX, Wave64, PNG, PDF, ZIP, gzip. */
const OTHER = [
  'ID3',
  'OggS',
  'fLaC',
  '\x1aE\xdf\xa3',
  'FORM',
  '.snd',
  'RIFX',
  'riff\x2e\x91\xcf\x11',
  '\x89PNG',
  '%PDF',
  'PK\x03\x04',
  '\x1f\x8b',
]

/**
 * Detects the format of `bytes`, the start of an audio stream, from its content: an ID3 tag or mp3 frames, a WAV
 * header, or samples that vary like sound. Undefined for text, for other files, and if there are too few bytes.
 */
export function audioKind(bytes: Uint8Array): AudioKind | undefined {
  if (isWav(bytes)) return wavCoding(bytes) === WAV_MP3 ? 'mp3' : 'wav'
  if (beginsMp3(bytes)) return 'mp3'
  if (OTHER.some(start => begins(bytes, start)) || begins(bytes.subarray(4), 'ftyp')) return undefined
  for (let at = 1; at < Math.min(bytes.length, TELLING_BYTES); at++)
    if (bytes[at] === 0xff && framesFrom(bytes, at) >= 2) return 'mp3'
  return looksLikeSamples(bytes) ? 'pcm' : undefined
}

/** True if mp3 starts here: one frame is enough if there is no room for another. */
export function beginsMp3(bytes: Uint8Array): boolean {
  if (begins(bytes, 'ID3')) return bytes.length < 10 || id3Length(bytes) > 0
  const header = mp3HeaderAt(bytes, 0)
  return header !== undefined && (bytes.length < header.bytes + 4 || framesFrom(bytes, 0) >= 2)
}

/** Counts consecutive frames of one stream from `at`, up to 2. */
function framesFrom(bytes: Uint8Array, at: number): number {
  const first = mp3HeaderAt(bytes, at)
  if (!first) return 0
  const second = mp3HeaderAt(bytes, at + first.bytes)
  return second && sameStream(first, second) ? 2 : 1
}

/** True if `bytes` can be linear16 audio: quiet, or smooth, and neither text nor a table of numbers. */
function looksLikeSamples(bytes: Uint8Array): boolean {
  if (bytes.length < FEWEST_PCM_BYTES || isPrintable(bytes)) return false
  const count = Math.min(LOOKED_AT, bytes.length >> 1)
  const sample = (at: number) => ((bytes[2 * at]! | (bytes[2 * at + 1]! << 8)) << 16) >> 16
  let sum = 0
  for (let at = 0; at < count; at++) sum += sample(at)
  const mean = sum / count
  if (Math.abs(mean) > MEAN_MOST) return false
  let size = 0
  let change = 0
  for (let at = 0; at < count; at++) {
    size += Math.abs(sample(at) - mean)
    if (at > 0) change += Math.abs(sample(at) - sample(at - 1))
  }
  return size / count < QUIET || change / size < SMOOTH
}

function isPrintable(bytes: Uint8Array): boolean {
  const count = Math.min(LOOKED_AT, bytes.length)
  let printable = 0
  for (let at = 0; at < count; at++) {
    const byte = bytes[at]!
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09) printable++
  }
  return printable > count * 0.9
}

function begins(bytes: Uint8Array, text: string): boolean {
  if (bytes.length < text.length) return false
  for (let at = 0; at < text.length; at++) if (bytes[at] !== text.charCodeAt(at)) return false
  return true
}
