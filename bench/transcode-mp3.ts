import { MPEGDecoder } from 'mpg123-decoder'
import { createMp3Encoder } from 'wasm-media-encoders'
import { mp3Ready } from '../src/transcode/mp3/mp3-decoder.ts'
import { createResampler } from '../src/transcode/resample/resampler.ts'
import { SpeechDecoder } from '../src/transcode/speech-decoder.ts'
import { alternate, type Candidate, type Row } from './alternate.ts'
import { speech } from './speech.ts'

const RATES = [16_000, 24_000, 44_100] as const
const SECONDS = 10
/** Sizes as they arrive from a socket. */
const CHUNK = 417

/** mp3 bytes to 16 kHz mono: whole streams, from their creation to their end. */
export async function mp3Rows(): Promise<Row[]> {
  const rows: Row[] = []
  await mp3Ready()
  for (const rate of RATES) {
    const chunks = await chunksAt(rate)
    const decoder = new MPEGDecoder()
    await decoder.ready
    const candidates = [
      ours(chunks),
      {
        name: 'mpg123-decoder, linear interpolation',
        frames: SECONDS * 50,
        run: () => theirs(decoder, chunks),
      },
    ]
    rows.push(...alternate(`mp3 ${rate / 1000} → 16 kHz`, candidates))
    decoder.free()
  }
  return rows
}

function ours(chunks: readonly Uint8Array[]): Candidate {
  let heard = 0
  const run = () => {
    const decoder = new SpeechDecoder(pcm => {
      heard += pcm.length
    })
    for (const chunk of chunks) decoder.write(chunk, false)
    decoder.finish()
    if (heard === 0) throw new Error('nothing was heard')
  }
  return { name: 'SpeechDecoder', frames: SECONDS * 50, run }
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
async function chunksAt(rate: (typeof RATES)[number]): Promise<Uint8Array[]> {
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
