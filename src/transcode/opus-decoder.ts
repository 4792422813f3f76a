import { type LibraryDecoder, opusLibrary } from './opus-library.ts'
import { SAMPLE_RATE } from './pcm.ts'

const NOTHING = new Int16Array(0)

/**
 * Decodes one Opus stream to 16 kHz mono linear16; libopus outputs 16 kHz directly, without a resampler. Accepts
 * packets of any valid length, mono or stereo; the caller creates one decoder per stream. In a worker thread it is the
 * WebAssembly build, at 1.2 times the CPU.
 */
export class OpusDecoder {
  #decoder: LibraryDecoder
  readonly #guess = new Uint8Array(1)
  #begun = false

  constructor() {
    this.#decoder = open()
  }

  /**
   * Returns the packet's audio, in newly allocated memory. Throws for an invalid packet; the stream can continue after
   * that.
   */
  decode(packet: Uint8Array): Int16Array {
    const pcm = samples(this.#decoder.decode(packet))
    this.#guess[0] = packet[0]! & 0xfc
    this.#begun = true
    return pcm
  }

  /**
   * Conceals a lost frame with the fading voice of the previous one. As long as one frame of the previous packet; empty
   * at the start.
   */
  conceal(): Int16Array {
    // A packet with only the header of the last one and a single empty frame signals a loss to libopus.
    return this.#begun ? samples(this.#decoder.decode(this.#guess)) : NOTHING
  }

  /** Resets the stream. */
  reset(): void {
    if (!this.#begun) return
    this.#decoder = open()
    this.#begun = false
  }
}

function open(): LibraryDecoder {
  return new opusLibrary.Decoder({ channels: 1, sample_rate: SAMPLE_RATE })
}

function samples(bytes: Uint8Array): Int16Array {
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1)
}
