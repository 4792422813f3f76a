import { isMainThread } from 'node:worker_threads'

/** Common interface of the native library and its WebAssembly build. */
interface OpusLibrary {
  readonly Decoder: new (options: { channels: 1 | 2; sample_rate: number }) => LibraryDecoder
  readonly Encoder: new (options: {
    channels: 1 | 2
    sample_rate: number
    application: 'voip' | 'audio' | 'restricted_lowdelay'
  }) => LibraryEncoder
}

export interface LibraryDecoder {
  /** Returns newly allocated memory; throws for an invalid packet. */
  decode(packet: Uint8Array): Uint8Array
}

export interface LibraryEncoder {
  /** Returns newly allocated memory. */
  encode(pcm: Int16Array): Uint8Array
  /** `opus_encoder_ctl`. */
  ctl(request: number, value: number): number
}

// The native library uses one scratch buffer for the whole process, so two threads would corrupt each other's audio:
// only the main thread uses it. Other threads use the WebAssembly build, which has separate memory.
const module = isMainThread ? '@evan/opus' : '@evan/opus/wasm/index.mjs'

export const opusLibrary = (await import(module)) as OpusLibrary
