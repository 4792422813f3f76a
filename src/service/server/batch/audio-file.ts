import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { AudioFileError, type AudioFileFault } from '../../../transcode/container/audio-file-error.ts'
import { oggCodec, oggPages } from '../../../transcode/container/ogg-pages.ts'
import { isOgg, isWebm, opusFile } from '../../../transcode/container/opus-file.ts'
import type { Mp3Pool } from '../../../transcode/mp3/decoder-pool.ts'
import { mp3HeaderAt } from '../../../transcode/mp3/header.ts'
import { Mp3Stream } from '../../../transcode/mp3/stream.ts'
import { durationMs, saturate } from '../../../transcode/pcm.ts'
import { createResampler, RATES } from '../../../transcode/resample/resampler.ts'
import { mono, openWav, WavError, type WavSound } from '../../../transcode/wav.ts'
import { type ErrorName, ServiceError } from '../errors.ts'
import { shown } from '../query.ts'

/** Bytes passed to the decoder at a time: about 10 s of audio. */
const PIECE_BYTES = 64 * 1024
/** Frames decoded before yielding to the event loop. */
const FRAMES = 100
/** Share of undecodable frames above which the file is rejected. */
const MOST_BAD = 0.5

/** Decodes an mp3 file to 16 kHz mono, in pieces that the receiver owns. Throws a `ServiceError`. */
async function* mp3Pieces(bytes: Uint8Array, pool: Mp3Pool): AsyncGenerator<Int16Array> {
  await pool.ready(1)
  const pieces: Int16Array[] = []
  const stream = new Mp3Stream(pool, pcm => pieces.push(pcm.slice()))
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      stream.write(bytes.subarray(at, at + PIECE_BYTES))
      if (at + PIECE_BYTES >= bytes.length) stream.end()
      for (let state = stream.decode(FRAMES); ; state = stream.decode(FRAMES)) {
        yield* pieces.splice(0)
        await new Promise(setImmediate)
        if (state === 'idle') break
      }
    }
    yield* pieces.splice(0)
    const { frames, badFrames } = stream.stats
    if (frames === 0)
      throw new ServiceError('file_damaged', 'the file starts like an mp3 but contains no audio')
    if (badFrames > frames * MOST_BAD)
      throw new ServiceError('file_damaged', `${badFrames} of ${frames} frames of the mp3 cannot be decoded`)
  } finally {
    stream.close()
  }
}

/** Sample rates accepted for batch files (Hz): the common ones and studio rates. */
export const FILE_RATES: readonly number[] = [...RATES, 64_000, 88_200, 96_000, 176_400, 192_000]

/** Resamples mono audio of one rate to 16 kHz, piece by piece. */
export interface SoundResampler {
  /** Returns a view that is valid until the next call. */
  process(pcm: Int16Array): Int16Array
  /** Returns the rest of the audio. */
  flush(): Int16Array
}

/**
 * Returns a resampler from one of `FILE_RATES` to 16 kHz. Filters depend only on the ratio, so those from a rate to 8
 * kHz also halve or quarter studio rates, to 16 or 32 kHz.
 */
function soundResampler(rate: number): SoundResampler {
  if (RATES.some(each => each === rate)) return createResampler(rate, 16_000)
  if (!FILE_RATES.includes(rate))
    throw new RangeError(`cannot read ${rate} Hz, rates are ${FILE_RATES.join(', ')}`)
  if (rate <= 96_000) return createResampler(rate / 2, 8_000)
  const first = createResampler(rate / 4, 8_000)
  const second = createResampler(32_000, 16_000)
  return {
    process: pcm => second.process(first.process(pcm)),
    flush() {
      const last = second.process(first.flush()).slice()
      const end = second.flush()
      const all = new Int16Array(last.length + end.length)
      all.set(last)
      all.set(end, last.length)
      return all
    },
  }
}

/** Number of undecodable packets above which the file is rejected; the decoder writes a line about each. */
const MOST_ERRORS = 20

/** The part of a decoder result that is used here. */
interface Decoded {
  readonly channelData: readonly Float32Array[]
  readonly samplesDecoded: number
  readonly sampleRate: number
  readonly errors: readonly unknown[]
}

/**
 * Decodes an Ogg Vorbis file to 16 kHz mono, page by page: a byte can expand to 4096 samples per channel, and a page
 * has at most 255 packets, so memory is bounded for any file. Throws a `ServiceError`, or an `AudioFileError` for a
 * page.
 */
async function* vorbisPieces(bytes: Uint8Array): AsyncGenerator<Int16Array> {
  for (const _page of oggPages(bytes)) {
    // Check the whole file before the recognizer receives any of it.
  }
  const decoder = new OggVorbisDecoder()
  let resampler: SoundResampler | undefined
  let errors = 0
  const sixteen = (decoded: Decoded): Int16Array => {
    errors += decoded.errors.length
    if (errors > MOST_ERRORS)
      throw new ServiceError(
        'file_damaged',
        `more than ${MOST_ERRORS} packets of the ogg file cannot be decoded`,
      )
    if (decoded.samplesDecoded <= 0) return new Int16Array(0)
    resampler ??= resamplerFor(decoded.sampleRate)
    return resampler.process(mixed(decoded))
  }
  try {
    await decoder.ready
    for (const page of oggPages(bytes)) {
      yield sixteen(await attempt(() => decoder.decode(page.bytes)))
      await new Promise(setImmediate)
    }
    yield sixteen(await attempt(() => decoder.flush()))
    if (!resampler) throw new ServiceError('file_damaged', 'no part of the ogg file can be decoded')
    yield resampler.flush()
  } finally {
    decoder.free()
  }
}

/** Decoders throw arbitrary values for damaged files. */
async function attempt(decode: () => Decoded | Promise<Decoded>): Promise<Decoded> {
  try {
    return await decode()
  } catch (cause) {
    throw new ServiceError('file_damaged', 'the ogg file cannot be decoded', { cause })
  }
}

function resamplerFor(rate: number): SoundResampler {
  if (FILE_RATES.includes(rate)) return soundResampler(rate)
  throw new ServiceError('coding_not_supported', `the file has ${rate} Hz, allowed: ${FILE_RATES.join(', ')}`)
}

/** Averages all channels into 16-bit samples. */
function mixed({ channelData, samplesDecoded }: Decoded): Int16Array {
  const pcm = new Int16Array(samplesDecoded)
  const scale = 32_768 / channelData.length
  for (let i = 0; i < pcm.length; i++) {
    let sum = 0
    for (const channel of channelData) sum += channel[i] ?? 0
    pcm[i] = saturate(sum * scale)
  }
  return pcm
}

/** Samples of all channels decoded at a time. */
const PIECE = 32_768
const MOST_CHANNELS = 64

/** Decodes a WAV file to 16 kHz mono, in pieces that are valid until the next one. Throws a `ServiceError`. */
function* wavPieces(bytes: Uint8Array, maxMs: number): Generator<Int16Array> {
  const sound = opened(bytes)
  const { rate, channels, moments } = sound
  if (durationMs(moments, rate) > maxMs)
    throw new ServiceError('too_long', `the file is longer than ${maxMs} ms`)
  const resampler = soundResampler(rate)
  const count = Math.floor(PIECE / channels)
  for (let at = 0; at < moments; at += count)
    yield resampler.process(mono({ rate, channels, pcm: sound.read(at, count) }))
  yield resampler.flush()
}

function opened(bytes: Uint8Array): WavSound {
  const sound = read(bytes)
  const { rate, channels, missingBytes } = sound
  if (!FILE_RATES.includes(rate))
    throw new ServiceError(
      'coding_not_supported',
      `the file has ${rate} Hz, allowed: ${FILE_RATES.join(', ')}`,
    )
  if (channels > MOST_CHANNELS)
    throw new ServiceError(
      'coding_not_supported',
      `the file has ${channels} channels, at most ${MOST_CHANNELS} are allowed`,
    )
  if (missingBytes > 0)
    throw new ServiceError(
      'truncated',
      `the file ends early: ${missingBytes} bytes of audio announced by its header are missing`,
    )
  return sound
}

function read(bytes: Uint8Array): WavSound {
  try {
    return openWav(bytes)
  } catch (cause) {
    if (!(cause instanceof WavError)) throw cause
    const error = cause.code === 'UNSUPPORTED' ? 'coding_not_supported' : 'file_damaged'
    throw new ServiceError(error, cause.message, { cause })
  }
}

/**
 * Search range for the first frame of an mp3 without a tag: some writers prepend zeros, some cuts leave half a frame.
 */
const MP3_SEARCH_BYTES = 4_096

/** Magic bytes of common formats that are not supported. */
const OTHERS: readonly (readonly [name: string, at: number, magic: string])[] = [
  ['FLAC', 0, 'fLaC'],
  ['MPEG-4', 4, 'ftyp'],
  ['AIFF', 0, 'FORM'],
  ['AMR', 0, '#!AMR'],
  ['CAF', 0, 'caff'],
  ['AU', 0, '.snd'],
  ['ZIP', 0, 'PK\u0003\u0004'],
]

const FAULTS: Readonly<Record<AudioFileFault, ErrorName>> = {
  DAMAGED: 'file_damaged',
  TRUNCATED: 'truncated',
  UNSUPPORTED: 'coding_not_supported',
  TOO_LONG: 'too_long',
}

/**
 * Decodes an audio file to 16 kHz mono, in pieces that are valid until the next one is requested. The format is
 * detected from the bytes; names and media types are ignored. If the length is known in advance, a file longer than
 * `maxMs` is rejected before decoding. Throws a `ServiceError`, possibly during iteration.
 */
export function fileSound(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxMs: number,
): AsyncGenerator<Int16Array> | Generator<Int16Array> {
  if (bytes.length === 0) throw new ServiceError('empty_file', 'the file has no bytes')
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).toString('latin1')
  if (/^(RIFF|RF64)/.test(head) && head.slice(8, 12) === 'WAVE') return wavPieces(bytes, maxMs)
  if (isOgg(bytes) || isWebm(bytes)) return containedPieces(bytes, maxMs)
  const other = OTHERS.find(([, at, magic]) => head.startsWith(magic, at))
  if (!other && (head.startsWith('ID3') || hasMp3Frame(bytes))) return mp3Pieces(bytes, pool)
  const found = other ? other[0] : `unknown (it starts with ${shown(printable(head.slice(0, 8)))})`
  throw new ServiceError(
    'format_unknown',
    `the file is ${found}, allowed: wav, mp3, ogg with Opus or Vorbis, WebM with Opus (ffmpeg converts others)`,
  )
}

/** Decodes a container and converts its errors to service errors. */
async function* containedPieces(bytes: Uint8Array, maxMs: number): AsyncGenerator<Int16Array> {
  try {
    const vorbis = isOgg(bytes) && oggCodec(bytes) === 'vorbis'
    yield* vorbis ? vorbisPieces(bytes) : opusFile(bytes, maxMs)
  } catch (error) {
    if (!(error instanceof AudioFileError)) throw error
    throw new ServiceError(FAULTS[error.code], error.message, { cause: error })
  }
}

/** True if consecutive mp3 frames are found near the start. */
function hasMp3Frame(bytes: Uint8Array): boolean {
  for (let at = 0; at < Math.min(bytes.length, MP3_SEARCH_BYTES); at++) {
    const header = mp3HeaderAt(bytes, at)
    if (!header) continue
    const next = at + header.bytes
    if (next === bytes.length || mp3HeaderAt(bytes, next)?.rate === header.rate) return true
  }
  return false
}

function printable(text: string): string {
  return text.replace(/[^ -~]/g, '.')
}
