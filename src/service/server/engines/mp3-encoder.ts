import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createEncoder } from 'wasm-media-encoders'

/** Rates an mp3 can have (Hz). */
export type Mp3Rate = 8000 | 11025 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000

/** Compiled once, 5 ms; an instance of it takes less than one. A WebAssembly module, which the types here cannot name. */
let compiled: Promise<never> | undefined

function compile(): Promise<never> {
  compiled ??= new Promise((resolve, reject) => {
    const path = createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3')
    readFile(path)
      .then(bytes => createEncoder('audio/mpeg', bytes, module => resolve(module as never)))
      .catch(reject)
  })
  return compiled
}

/** One mono mp3 from its first to its last byte. */
export interface Mp3Encoder {
  /** The bytes that became ready; the caller's. */
  encode(pcm: Int16Array): Uint8Array
  /** The last bytes; nothing may follow. */
  finish(): Uint8Array
}

/** An encoder from `from` Hz (any) to an mp3 of `to` Hz. */
export async function createMp3(from: number, to: Mp3Rate): Promise<Mp3Encoder> {
  const encoder = await createEncoder('audio/mpeg', await compile())
  encoder.configure({ sampleRate: from, channels: 1, outputSampleRate: to, bitrate: bitrateFor(to) })
  return {
    encode(pcm) {
      const samples = new Float32Array(pcm.length)
      for (let i = 0; i < pcm.length; i++) samples[i] = pcm[i]! / 32_768
      return encoder.encode([samples]).slice()
    },
    finish: () => encoder.finalize().slice(),
  }
}

/** kbit/s at which speech loses nothing to be heard. */
function bitrateFor(rate: Mp3Rate): 32 | 48 | 64 {
  if (rate <= 12_000) return 32
  return rate <= 24_000 ? 48 : 64
}
