import type { Mp3Pool } from './mp3/mp3-pool.ts'
import { Mp3Stream } from './mp3/stream.ts'
import { joined, SAMPLE_RATE } from './pcm.ts'
import { VoiceStream } from './voice-stream.ts'

/** mp3 frames decoded before yielding to the event loop. */
const FRAMES = 100

type OnPcm = (pcm: Int16Array) => void

/**
 * Decodes all of `bytes` to 16 kHz mono; empty if there is no audio. For audio that is not live: yields to the event
 * loop. Stops soon after `maxSeconds` of audio.
 */
export function wholeMp3(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds = Number.POSITIVE_INFINITY,
): Promise<Int16Array> {
  return whole(bytes, pool, maxSeconds, onPcm => new Mp3Stream(pool, onPcm))
}

/** Does the same for a response of a service, which can also be a WAV file or headerless samples. */
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
