import { Mp3Pool } from '../../../transcode/mp3/decoder-pool.ts'
import { Mp3Stream } from '../../../transcode/mp3/stream.ts'
import { HttpFault } from './http-client.ts'

/** mp3 decoders of this process, created for the first mp3 response. */
const pool = new Mp3Pool({ max: 32, spare: 1 })

/** Yields the samples of an mp3 (16 kHz, mono) as its bytes arrive. Throws an `HttpFault` if it has no audio. */
export async function* decodedMp3(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array> {
  await pool.ready(1)
  let made: Int16Array[] = []
  const stream = new Mp3Stream(pool, pcm => made.push(pcm.slice()))
  try {
    for await (const piece of bytes) {
      stream.write(piece)
      await drain(stream)
      yield* made.splice(0)
    }
    stream.end()
    await drain(stream)
    yield* made.splice(0)
    if (stream.stats.frames === 0) throw new HttpFault('returned an mp3 without audio')
  } finally {
    made = []
    stream.close()
  }
}

async function drain(stream: Mp3Stream): Promise<void> {
  while (stream.decode() === 'waiting') await pool.ready(1)
}
