import type { Mp3Pool } from '../../../transcode/mp3/mp3-pool.ts'
import { Mp3Stream } from '../../../transcode/mp3/stream.ts'
import { ServiceError } from '../service-error.ts'

/** Bytes passed to the decoder at a time: about 10 s of audio. */
const PIECE_BYTES = 64 * 1024
/** Frames decoded before yielding to the event loop. */
const FRAMES = 100
/** Share of undecodable frames above which the file is rejected. */
const MOST_BAD = 0.5

/** Decodes an mp3 file to 16 kHz mono, in pieces that the receiver owns. Throws a `ServiceError`. */
export async function* mp3Pieces(bytes: Uint8Array, pool: Mp3Pool): AsyncGenerator<Int16Array> {
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
