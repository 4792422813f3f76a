import type { Mp3Pool } from './mp3-pool.ts'
import { Mp3Stream } from './mp3-stream.ts'
import { joined, SAMPLE_RATE } from './pcm.ts'
import { VoiceStream } from './voice-stream.ts'

/** mp3 frames decoded before others get their turn. */
const FRAMES = 100

type OnPcm = (pcm: Int16Array) => void

/** All sound of `bytes` as 16 kHz mono; empty where there is none. For what is not live: others get turns meanwhile. Ends soon after `maxSeconds` of it. */
export function wholeMp3(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds = Number.POSITIVE_INFINITY,
): Promise<Int16Array> {
  return whole(bytes, pool, maxSeconds, onPcm => new Mp3Stream(pool, onPcm))
}

/** The same of what a service answered, which may be a WAV file or bare samples too. */
export function wholeVoice(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds = Number.POSITIVE_INFINITY,
): Promise<Int16Array> {
  return whole(bytes, pool, maxSeconds, onPcm => new VoiceStream(pool, onPcm))
}

async function whole(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds: number,
  open: (onPcm: OnPcm) => Mp3Stream | VoiceStream,
): Promise<Int16Array> {
  await pool.ready(1)
  const pieces: Int16Array[] = []
  let samples = 0
  const stream = open(pcm => {
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
