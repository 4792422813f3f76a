import type { Mp3Pool } from './mp3-pool.ts'
import { Mp3Stream } from './mp3-stream.ts'
import { joined, SAMPLE_RATE } from './pcm.ts'

/** mp3 frames decoded before others get their turn. */
const FRAMES = 100

/** All sound of `bytes` as 16 kHz mono; empty where there is none. For what is not live: others get turns meanwhile. Ends soon after `maxSeconds` of it. */
export async function wholeMp3(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds = Number.POSITIVE_INFINITY,
): Promise<Int16Array> {
  await pool.ready(1)
  const pieces: Int16Array[] = []
  let samples = 0
  const stream = new Mp3Stream(pool, pcm => {
    samples += pcm.length
    pieces.push(pcm.slice())
  })
  try {
    stream.write(bytes)
    stream.end()
    while (stream.decode(FRAMES) !== 'idle' && samples < maxSeconds * SAMPLE_RATE)
      await new Promise(setImmediate)
    return joined(pieces)
  } finally {
    stream.close()
  }
}
