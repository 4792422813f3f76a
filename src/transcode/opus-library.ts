import { isMainThread } from 'node:worker_threads'

/** What the native library and its WebAssembly build have in common. */
interface OpusLibrary {
  readonly Decoder: new (options: { channels: 1 | 2; sample_rate: number }) => LibraryDecoder
  readonly Encoder: new (options: {
    channels: 1 | 2
    sample_rate: number
    application: 'voip' | 'audio' | 'restricted_lowdelay'
  }) => LibraryEncoder
}

export interface LibraryDecoder {
  /** Memory of its own; throws for what is no Opus packet. */
  decode(packet: Uint8Array): Uint8Array
}

export interface LibraryEncoder {
  /** Memory of its own. */
  encode(pcm: Int16Array): Uint8Array
  /** `opus_encoder_ctl`. */
  ctl(request: number, value: number): number
}

// The native library works in one scratch buffer for the whole process, so two threads would hear each other: it is
// for the main thread alone, and every other thread gets the WebAssembly build, which has memory of its own.
const module = isMainThread ? '@evan/opus' : '@evan/opus/wasm/index.mjs'

export const opusLibrary = (await import(module)) as OpusLibrary
