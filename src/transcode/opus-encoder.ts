import { type LibraryEncoder, opusLibrary } from './opus-library.ts'
import { FRAME_SAMPLES, SAMPLE_RATE } from './pcm.ts'

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
