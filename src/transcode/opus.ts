import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { FRAME_SAMPLES, SAMPLE_RATE } from './pcm.ts'

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
// Loaded with `require`, because `await` here would keep every program in CommonJS from loading this package.
const load = createRequire(import.meta.url)
const opusLibrary = load(isMainThread ? '@evan/opus' : '@evan/opus/wasm/index.js') as OpusLibrary

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

/** `OPUS_SET_BITRATE`, `OPUS_SET_COMPLEXITY` of opus_defines.h. */
const SET_BITRATE = 4002
const SET_COMPLEXITY = 4010

export interface OpusEncoderOptions {
  /** Bits per second. Default 48 000. */
  readonly bitrate?: number
  /** 2: both channels are the same. Default 1. */
  readonly channels?: 1 | 2
  /** CPU for quality, 0 to 10. Default 5. */
  readonly complexity?: number
}

/**
 * Encodes 16 kHz mono linear16 to Opus packets of 20 ms, each of one frame. libopus accepts 16 kHz directly; the audio
 * is delayed by 6.5 ms. One thread, like `OpusDecoder`.
 */
export class OpusEncoder {
  readonly #encoder: LibraryEncoder
  /** Each sample twice; absent for mono. */
  readonly #stereo: Int16Array | undefined

  /** Throws RangeError for options that libopus does not accept. */
  constructor({ bitrate = 48_000, channels = 1, complexity = 5 }: OpusEncoderOptions = {}) {
    if (!(bitrate >= 6_000 && bitrate <= 510_000))
      throw new RangeError(`Opus takes 6000 to 510000 bits a second, got ${bitrate}`)
    if (channels !== 1 && channels !== 2) throw new RangeError(`Opus has 1 or 2 channels, got ${channels}`)
    if (!(Number.isInteger(complexity) && complexity >= 0 && complexity <= 10))
      throw new RangeError(`complexity is a whole number from 0 to 10, got ${complexity}`)
    // Not `voip`: at this bit rate the plain transform encodes speech as well as the speech model, at less than half
    // the CPU.
    this.#encoder = new opusLibrary.Encoder({ channels, sample_rate: SAMPLE_RATE, application: 'audio' })
    this.#encoder.ctl(SET_BITRATE, bitrate)
    this.#encoder.ctl(SET_COMPLEXITY, complexity)
    if (channels === 2) this.#stereo = new Int16Array(2 * FRAME_SAMPLES)
  }

  /**
   * Encodes one frame as a packet, in newly allocated memory. `frame` is borrowed. Throws RangeError unless it is one
   * frame.
   */
  encode(frame: Int16Array): Uint8Array {
    if (frame.length !== FRAME_SAMPLES)
      throw new RangeError(`a packet is made of ${FRAME_SAMPLES} samples, got ${frame.length}`)
    const stereo = this.#stereo
    if (stereo === undefined) return this.#encoder.encode(frame)
    for (let n = 0; n < FRAME_SAMPLES; n++) {
      const sample = frame[n]!
      stereo[2 * n] = sample
      stereo[2 * n + 1] = sample
    }
    return this.#encoder.encode(stereo)
  }
}
