import { createMp3Encoder } from 'wasm-media-encoders'
import { mp3HeaderAt } from '../../../src/transcode/mp3/header.ts'
import { mp3Ready } from '../../../src/transcode/mp3/mp3-decoder.ts'
import { bytesOf, concat } from '../../../src/transcode/pcm.ts'
import { SpeechDecoder } from '../../../src/transcode/speech-decoder.ts'
import { pipeToFile } from './command.ts'

export type Mp3Rate = 8000 | 11_025 | 12_000 | 16_000 | 22_050 | 24_000 | 32_000 | 44_100 | 48_000

const encoder = await createMp3Encoder()
await mp3Ready()

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

/** Decodes one result, which arrives in pieces whose lengths repeat `cuts`. */
export function decodeAll(bytes: Uint8Array, cuts: readonly number[] = [2_048]): Int16Array {
  return decodeResults([bytes], cuts)
}

/** Decodes the results of a service, each of which arrives in pieces whose lengths repeat `cuts`. */
export function decodeResults(results: readonly Uint8Array[], cuts: readonly number[] = [2_048]): Int16Array {
  const parts: Int16Array[] = []
  const decoder = new SpeechDecoder(pcm => parts.push(pcm.slice()))
  for (const result of results)
    for (let at = 0, i = 0; at < result.length; i++) {
      const length = cuts[i % cuts.length]!
      if (!decoder.write(result.subarray(at, at + length), at === 0)) throw new Error('no decoder is free')
      at += length
    }
  if (!decoder.finish()) throw new Error('no decoder is free')
  return concat(parts)
}
