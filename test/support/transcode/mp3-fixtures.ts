import { createMp3Encoder } from 'wasm-media-encoders'
import type { Mp3Backend } from '../../../src/transcode/mp3/decoder.ts'
import { Mp3Pool } from '../../../src/transcode/mp3/decoder-pool.ts'
import { mp3HeaderAt } from '../../../src/transcode/mp3/header.ts'
import { type Mp3Stats, Mp3Stream } from '../../../src/transcode/mp3/stream.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { pipeToFile } from './command.ts'

export type Mp3Rate = 8000 | 11_025 | 12_000 | 16_000 | 22_050 | 24_000 | 32_000 | 44_100 | 48_000

const encoder = await createMp3Encoder()

/** Encodes `pcm` as MP3 without a tag, with LAME as WebAssembly; stereo has two equal channels. */
export function encodeMp3(pcm: Int16Array, rate: Mp3Rate, channels: 1 | 2 = 1): Uint8Array {
  encoder.configure({ sampleRate: rate, channels, outputSampleRate: rate, bitrate: rate > 24_000 ? 64 : 32 })
  const samples = Float32Array.from(pcm, sample => sample / 32_768)
  const body = encoder.encode(Array(channels).fill(samples)).slice()
  return join(body, encoder.finalize())
}

/** Encodes `pcm` as MP3 with the `lame` command, with a tag if there is room for one. `options` are its arguments. */
export function lame(pcm: Int16Array, rate: number, ...options: string[]): Uint8Array {
  const raw = ['--quiet', '-r', '--signed', '--bitwidth', '16', '--little-endian', '-s', `${rate / 1000}`]
  const stereo = options.includes('-m')
  const input = stereo ? Int16Array.from({ length: 2 * pcm.length }, (_, i) => pcm[i >> 1]!) : pcm
  const mono = stereo ? [] : ['-m', 'm']
  const args = (path: string) => [...raw, ...mono, '--resample', `${rate / 1000}`, ...options, '-', path]
  return pipeToFile('lame', args, bytesOf(input))
}

export function join(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Start of each frame of a clean file, and finally its end. */
export function frameStarts(mp3: Uint8Array): number[] {
  const starts = [0]
  for (let at = 0; ; ) {
    const header = mp3HeaderAt(mp3, at)
    if (!header || at + header.bytes > mp3.length) return starts
    at += header.bytes
    starts.push(at)
  }
}

export interface Decoded {
  pcm: Int16Array
  stats: Mp3Stats
}

/** A pool with at least one decoder ready. */
export async function openPool(backend?: Mp3Backend): Promise<Mp3Pool> {
  const pool = new Mp3Pool({ spare: 1, ...(backend ? { backend } : {}) })
  await pool.ready()
  return pool
}

/** Decodes `bytes` written in pieces whose lengths repeat `cuts`, decoding after each piece. */
export function decodeAll(
  pool: Mp3Pool,
  bytes: Uint8Array,
  cuts: readonly number[] = [bytes.length || 1],
): Decoded {
  const parts: Int16Array[] = []
  const stream = new Mp3Stream(pool, pcm => parts.push(pcm.slice()))
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = cuts[i % cuts.length]!
    stream.write(bytes.subarray(at, at + length))
    stream.decode()
    at += length
  }
  stream.end()
  const state = stream.decode()
  if (state !== 'idle') throw new Error(`the stream is ${state}`)
  const { stats } = stream
  stream.close()
  const pcm = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    pcm.set(part, at)
    at += part.length
  }
  return { pcm, stats }
}
