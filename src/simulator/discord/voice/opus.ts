import { createRequire } from 'node:module'
import type * as EvanOpus from '@evan/opus'

/**
 * Opus in WebAssembly: each thread that loads it has its own. The native addon of the same package keeps one buffer for
 * the whole process and mixes up the audio of two threads, and tests can run in worker threads.
 */
const { Decoder, Encoder } = createRequire(import.meta.url)('@evan/opus/wasm/index.js') as typeof EvanOpus

/** Discord's RTP clock (Hz), and the encoding rate of clients. */
export const OPUS_RATE = 48_000

/** 20 ms of silence, as Discord's clients write it; never encrypted end to end. */
export const SILENCE_FRAME = Buffer.of(0xf8, 0xff, 0xfe)

/** Discord's default for a voice channel. */
const BITRATE = 64_000

export interface OpusEncoder {
  /** `pcm` is one packet at 48 kHz, interleaved if stereo; the caller owns the result. */
  encode(pcm: Int16Array): Buffer
}

export function opusEncoder(channels: 1 | 2): OpusEncoder {
  const encoder = new Encoder({ channels, sample_rate: OPUS_RATE, application: 'voip' })
  encoder.bitrate = BITRATE
  return { encode: pcm => Buffer.from(encoder.encode(pcm)) }
}

export interface OpusDecoder {
  /** 16 kHz mono; undefined for invalid Opus. */
  decode(packet: Uint8Array): Int16Array | undefined
}

export function opusDecoder(): OpusDecoder {
  const decoder = new Decoder({ channels: 1, sample_rate: 16_000 })
  return {
    decode(packet) {
      try {
        const bytes = Uint8Array.from(decoder.decode(packet))
        return new Int16Array(bytes.buffer)
      } catch {
        return undefined
      }
    },
  }
}
