import { AudioFileError, type AudioFileFault } from '../../../transcode/container/audio-file-error.ts'
import { isOgg, isWebm, opusFile } from '../../../transcode/container/opus-file.ts'
import { mp3HeaderAt } from '../../../transcode/mp3/header.ts'
import { durationMs } from '../../../transcode/pcm.ts'
import { RATES } from '../../../transcode/resample/resampler.ts'
import { speechPieces } from '../../../transcode/speech-decoder.ts'
import { TurnBudget } from '../../../transcode/turn-budget.ts'
import { isWav, WAV_MP3, WavError, wavCoding } from '../../../transcode/wav-format.ts'
import { type WavAudio, WavReader } from '../../../transcode/wav-reader.ts'
import { type ErrorName, ServiceError } from '../errors.ts'
import { shown } from '../query.ts'

/** Bytes of a WAV checked at a time. */
const PIECE_BYTES = 16 * 1024

/** Decodes an mp3 file to 16 kHz mono, in pieces that the receiver owns. Throws a `ServiceError`. */
async function* mp3Pieces(bytes: Uint8Array): AsyncGenerator<Int16Array> {
  let samples = 0
  for await (const pcm of speechPieces(bytes)) {
    samples += pcm.length
    yield pcm
  }
  if (samples === 0)
    throw new ServiceError('file_damaged', 'the file starts like an mp3 but contains no audio')
}

/** Decodes a WAV file to 16 kHz mono, in pieces that the receiver owns. Throws a `ServiceError`. */
async function* wavPieces(bytes: Uint8Array, maxMs: number): AsyncGenerator<Int16Array> {
  await assertWav(bytes, maxMs)
  yield* speechPieces(bytes)
}

/** Reads the whole file, before the recognizer receives any of it. Throws a `ServiceError` for a file that is not accepted. */
async function assertWav(bytes: Uint8Array, maxMs: number): Promise<void> {
  const turn = new TurnBudget()
  const reader = new WavReader()
  let ms = 0
  const count = (found: readonly WavAudio[]) => {
    for (const { format, bytes } of found) {
      if (!RATES.includes(format.rate))
        throw new ServiceError(
          'coding_not_supported',
          `the file has ${format.rate} Hz, allowed: ${RATES.join(', ')}`,
        )
      ms += durationMs(format.samples(bytes), format.rate)
    }
    if (ms > maxMs) throw new ServiceError('too_long', `the file is longer than ${maxMs} ms`)
  }
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      count(reader.push(bytes.subarray(at, at + PIECE_BYTES)))
      await turn.spend(PIECE_BYTES)
    }
    const { complete, missingBytes } = reader
    count(reader.end())
    if (!complete)
      throw new ServiceError(
        'truncated',
        `the file ends early: ${missingBytes} bytes of audio announced by its header are missing`,
      )
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
  ['big-endian WAV (RIFX)', 0, 'RIFX'],
  ['Wave64', 0, 'riff\u002e\u0091\u00cf\u0011'],
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
export function fileSound(bytes: Uint8Array, maxMs: number): AsyncGenerator<Int16Array> {
  if (bytes.length === 0) throw new ServiceError('empty_file', 'the file has no bytes')
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).toString('latin1')
  if (isWav(bytes)) return wavCoding(bytes) === WAV_MP3 ? mp3Pieces(bytes) : wavPieces(bytes, maxMs)
  if (isOgg(bytes) || isWebm(bytes)) return containedPieces(bytes, maxMs)
  const other = OTHERS.find(([, at, magic]) => head.startsWith(magic, at))
  if (!other && (head.startsWith('ID3') || hasMp3Frame(bytes))) return mp3Pieces(bytes)
  const found = other ? other[0] : `unknown (it starts with ${shown(printable(head.slice(0, 8)))})`
  throw new ServiceError(
    'format_unknown',
    `the file is ${found}, allowed: wav, mp3, ogg with Opus, WebM with Opus (ffmpeg converts others)`,
  )
}

/** Decodes a container and converts its errors to service errors. */
async function* containedPieces(bytes: Uint8Array, maxMs: number): AsyncGenerator<Int16Array> {
  try {
    yield* opusFile(bytes, maxMs)
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
