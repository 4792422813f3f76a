import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createEncoder } from 'wasm-media-encoders'

/** Sample rates of mp3 (Hz). */
export type Mp3Rate = 8000 | 11025 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000

/**
 * Compiled once, in 5 ms; an instance takes less than 1 ms. It is a WebAssembly module, a type that is not declared
 * here.
 */
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

/** Encodes one mono mp3 from its first to its last byte. */
export interface Mp3Encoder {
  /** Returns the bytes that became ready; owned by the caller. */
  encode(pcm: Int16Array): Uint8Array
  /** Returns the last bytes; must be the last call. */
  finish(): Uint8Array
}

/** Creates an encoder from any rate (`from` Hz) to an mp3 of `to` Hz. */
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

/** Bit rate at which speech has no audible loss (kbit/s). */
function bitrateFor(rate: Mp3Rate): 32 | 48 | 64 {
  if (rate <= 12_000) return 32
  return rate <= 24_000 ? 48 : 64
}
