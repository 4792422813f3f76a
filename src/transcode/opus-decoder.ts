import { type LibraryDecoder, opusLibrary } from './opus-library.ts'
import { SAMPLE_RATE } from './pcm.ts'

const NOTHING = new Int16Array(0)

/**
 * One Opus stream to 16 kHz mono linear16, by libopus itself: there is no resampler behind it. Packets of any lawful
 * length, mono or stereo; the caller sees that there is one decoder for each stream. In a worker thread it is the
 * WebAssembly build, at 1.2 times the CPU.
 */
export class OpusDecoder {
  #decoder: LibraryDecoder
  readonly #guess = new Uint8Array(1)
  #begun = false

  constructor() {
    this.#decoder = open()
  }

  /** The packet's audio, in memory of its own. Throws for what is no Opus packet; the stream may go on after that. */
  decode(packet: Uint8Array): Int16Array {
    const pcm = samples(this.#decoder.decode(packet))
    this.#guess[0] = packet[0]! & 0xfc
    this.#begun = true
    return pcm
  }

  /**
   * What the next frame may have been, where it is lost: the voice as it was, dying away. As long as one frame of the
   * packet before; nothing at the beginning.
   */
  conceal(): Int16Array {
    // A packet of nothing but the head of the last one, with a single empty frame, is how libopus is told of a loss.
    return this.#begun ? samples(this.#decoder.decode(this.#guess)) : NOTHING
  }

  /** Forgets the stream. */
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
