import { AudioFileError, type AudioFileFault } from '../../../transcode/audio-file-error.ts'
import { mp3HeaderAt } from '../../../transcode/mp3-header.ts'
import type { Mp3Pool } from '../../../transcode/mp3-pool.ts'
import { oggCodec } from '../../../transcode/ogg-pages.ts'
import { isOgg, isWebm, opusFile } from '../../../transcode/opus-file.ts'
import type { ErrorName } from '../error-table.ts'
import { shown } from '../query.ts'
import { ServiceError } from '../service-error.ts'
import { mp3Pieces } from './mp3-pieces.ts'
import { vorbisPieces } from './vorbis-pieces.ts'
import { wavPieces } from './wav-pieces.ts'

/** Bytes before the first frame of an mp3 that has no tag: some writers leave zeros, some cuts half a frame. */
const MP3_SEARCH_BYTES = 4_096

/** How files begin that are often sent and cannot be read here. */
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
 * The sound of an audio file as 16 kHz mono, in pieces that are valid until the next one is asked for. What it is shows
 * in its bytes; names and media types are not believed. One that is longer than `maxMs` is refused before it is decoded where that
 * shows before. Throws a `ServiceError`, some only on the way.
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
  const found = other ? other[0] : `something that begins with ${shown(printable(head.slice(0, 8)))}`
  throw new ServiceError(
    'format_unknown',
    `the file is ${found}, allowed: wav, mp3, ogg with Opus or Vorbis, WebM with Opus (ffmpeg converts others)`,
  )
}

/** The sound in a container, whose faults become those of the service. */
async function* containedPieces(bytes: Uint8Array, maxMs: number): AsyncGenerator<Int16Array> {
  try {
    const vorbis = isOgg(bytes) && oggCodec(bytes) === 'vorbis'
    yield* vorbis ? vorbisPieces(bytes) : opusFile(bytes, maxMs)
  } catch (error) {
    if (!(error instanceof AudioFileError)) throw error
    throw new ServiceError(FAULTS[error.code], error.message, { cause: error })
  }
}

/** Whether frames follow each other, the first of them near the start. */
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
