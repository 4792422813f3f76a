import { AudioFileError, type AudioFileFault } from '../../../transcode/container/audio-file-error.ts'
import { oggCodec } from '../../../transcode/container/ogg-pages.ts'
import { isOgg, isWebm, opusFile } from '../../../transcode/container/opus-file.ts'
import { mp3HeaderAt } from '../../../transcode/mp3/header.ts'
import type { Mp3Pool } from '../../../transcode/mp3/mp3-pool.ts'
import type { ErrorName } from '../error-table.ts'
import { shown } from '../query.ts'
import { ServiceError } from '../service-error.ts'
import { mp3Pieces } from './mp3-pieces.ts'
import { vorbisPieces } from './vorbis-pieces.ts'
import { wavPieces } from './wav-pieces.ts'

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

/** True if consecutive mp3 frames start near the beginning. */
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
