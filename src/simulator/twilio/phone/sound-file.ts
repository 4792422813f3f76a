import { decodeMulaw } from '../../../transcode/g711.ts'
import { Mp3Pool } from '../../../transcode/mp3/mp3-pool.ts'
import { wholeMp3 } from '../../../transcode/mp3-whole.ts'
import { SAMPLE_RATE } from '../../../transcode/pcm.ts'
import { mono, readWav } from '../../../transcode/wav.ts'
import { toLine } from './voice.ts'

const WAV = ['audio/wav', 'audio/wave', 'audio/x-wav']
const MP3 = ['audio/mpeg', 'audio/mp3']
const MULAW = ['audio/ulaw', 'audio/basic']

/**
 * Decodes the `bytes` of a file for `<Play>` to 8 kHz mono, or returns the error that Twilio would log (12300, 12400).
 * Never throws.
 */
export async function soundOf(
  bytes: Uint8Array,
  contentType: string,
): Promise<Int16Array | { code: number; why: string }> {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  try {
    if (WAV.includes(type)) {
      const wav = readWav(bytes)
      return toLine(mono(wav), wav.rate)
    }
    if (MP3.includes(type)) return toLine(await mp3(bytes), SAMPLE_RATE)
    if (MULAW.includes(type)) return mulaw(bytes)
    return { code: 12300, why: `content type ${contentType || 'missing'} is no audio` }
  } catch (error) {
    return { code: 12400, why: error instanceof Error ? error.message : String(error) }
  }
}

function mulaw(bytes: Uint8Array): Int16Array {
  const pcm = new Int16Array(bytes.length)
  decodeMulaw(bytes, pcm)
  return pcm
}

async function mp3(bytes: Uint8Array): Promise<Int16Array> {
  const pool = new Mp3Pool({ max: 1 })
  try {
    const pcm = await wholeMp3(bytes, pool)
    if (pcm.length === 0) throw new RangeError('no audio in the mp3')
    return pcm
  } finally {
    pool.close()
  }
}
