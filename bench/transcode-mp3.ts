import { MPEGDecoder } from 'mpg123-decoder'
import { createMp3Encoder } from 'wasm-media-encoders'
import type { Mp3Backend } from '../src/transcode/mp3/decoder.ts'
import { Mp3Pool } from '../src/transcode/mp3/decoder-pool.ts'
import { Mp3Native } from '../src/transcode/mp3/mpg123-native.ts'
import { Mp3Wasm } from '../src/transcode/mp3/mpg123-wasm.ts'
import { Mp3Stream } from '../src/transcode/mp3/stream.ts'
import { createResampler } from '../src/transcode/resample/resampler.ts'
import { alternate, type Candidate, type Row } from './alternate.ts'
import { speech } from './speech.ts'

const RATES = [16_000, 24_000, 44_100] as const
const SECONDS = 10
/** Sizes as they arrive from a socket. */
const CHUNK = 417

/** mp3 bytes to 16 kHz mono: whole streams, from their creation to their end. */
export async function mp3Rows(): Promise<Row[]> {
  const rows: Row[] = []
  const backends = [await Mp3Native.open(), new Mp3Wasm()].filter(backend => backend !== undefined)
  const pools = await Promise.all(backends.map(openPool))
  for (const rate of RATES) {
    const chunks = await chunksAt(rate)
    const decoder = new MPEGDecoder()
    await decoder.ready
    const candidates = [
      ...pools.map(pool => ours(pool, chunks)),
      {
        name: 'mpg123-decoder, linear interpolation',
        frames: SECONDS * 50,
        run: () => theirs(decoder, chunks),
      },
    ]
    rows.push(...alternate(`mp3 ${rate / 1000} → 16 kHz`, candidates))
    decoder.free()
  }
  for (const pool of pools) pool.close()
  return rows
}

async function openPool(backend: Mp3Backend): Promise<Mp3Pool> {
  const pool = new Mp3Pool({ backend })
  await pool.ready()
  return pool
}

function ours(pool: Mp3Pool, chunks: readonly Uint8Array[]): Candidate {
  let heard = 0
  const run = () => {
    const stream = new Mp3Stream(pool, pcm => {
      heard += pcm.length
    })
    for (const chunk of chunks) {
      stream.write(chunk)
      stream.decode()
    }
    stream.end()
    stream.decode()
    stream.close()
    if (heard === 0) throw new Error('nothing was heard')
  }
  return { name: `Mp3Stream, ${pool.backend}`, frames: SECONDS * 50, run }
}

/** Uses the package as its documentation suggests. */
function theirs(decoder: MPEGDecoder, chunks: readonly Uint8Array[]): number {
  let heard = 0
  for (const chunk of chunks) {
    const { channelData, sampleRate, samplesDecoded } = decoder.decode(chunk)
    if (samplesDecoded === 0) continue
    const step = sampleRate / 16_000
    const pcm = new Int16Array(samplesDecoded / step)
    for (let i = 0; i < pcm.length; i++) {
      const at = Math.floor(i * step)
      const before = channelData[0]![at]!
      const after = channelData[0]![Math.min(at + 1, samplesDecoded - 1)]!
      pcm[i] = Math.max(-1, Math.min(1, before + (after - before) * (i * step - at))) * 32_767
    }
    heard += pcm.length
  }
  return heard
}

/** Speech as mp3 of `rate`, in pieces. */
export async function chunksAt(rate: (typeof RATES)[number]): Promise<Uint8Array[]> {
  const encoder = await createMp3Encoder()
  const pcm = createResampler(16_000, rate).process(speech().subarray(0, 16_000 * SECONDS))
  encoder.configure({
    sampleRate: rate,
    outputSampleRate: rate,
    channels: 1,
    bitrate: rate > 24_000 ? 64 : 48,
  })
  const body = encoder.encode([Float32Array.from(pcm, sample => sample / 32_768)]).slice()
  const mp3 = Buffer.concat([body, encoder.finalize()])
  const chunks: Uint8Array[] = []
  for (let at = 0; at < mp3.length; at += CHUNK) chunks.push(mp3.subarray(at, at + CHUNK))
  return chunks
}
