import type { LegUplink } from '../../../core/model/leg.ts'
import { ComfortNoise } from '../../../transcode/comfort-noise.ts'
import { FRAME_SAMPLES, Framer, SAMPLE_RATE } from '../../../transcode/pcm.ts'
import { createResampler, type Resampler } from '../../../transcode/resample/resampler.ts'
import type { LineFormat } from '../carrier.ts'
import { type ClockDrift, SampleCorrector } from './clock-drift.ts'
import { type SampleCodec, sampleCodec } from './line-codec.ts'

/** 20 ms at the highest rate of a line. */
const MAX_BLOCK = 320

// Shared by all legs: they hold data only while one message is processed, synchronously.
const BYTES = Buffer.allocUnsafeSlow(65_536)
const BLOCK_PCM = new Int16Array(MAX_BLOCK)
const BLOCK_SILENCE = new Int16Array(MAX_BLOCK)

/**
 * Converts the participant’s audio: that of the line in, 20 ms frames of 16 kHz out. Synchronous; allocates nothing for a
 * message of 20 ms.
 */
export class LineDecoder {
  /** Receives the frames; they are dropped until it is set. */
  uplink: LegUplink | undefined
  readonly bytesPerSample: number
  /** Samples of 20 ms. */
  readonly blockSamples: number
  readonly #codec: SampleCodec
  readonly #resampler: Resampler
  readonly #drift: ClockDrift
  readonly #corrector = new SampleCorrector()
  readonly #framer: Framer
  /** Views of what all legs share. */
  readonly #pcm: Int16Array
  readonly #silent: Int16Array

  /** Counts frames in `counters`. `drift`: of the carrier’s clock, whose audio lasts as long in our time as it should. */
  constructor({ codec, rate }: LineFormat, drift: ClockDrift, counters: { framesIn: number }) {
    this.#codec = sampleCodec(codec)
    this.#resampler = createResampler(rate, SAMPLE_RATE)
    this.#drift = drift
    this.bytesPerSample = this.#codec.bytesPerSample
    this.blockSamples = rate / 50
    this.#pcm = BLOCK_PCM.subarray(0, this.blockSamples)
    this.#silent = BLOCK_SILENCE.subarray(0, this.blockSamples)
    this.#framer = new Framer(FRAME_SAMPLES, frame => {
      counters.framesIn++
      this.uplink?.write(frame)
    })
  }

  /** Emits the samples in `bytes` from number `from` on. */
  decode(bytes: Buffer, from: number): void {
    const { bytesPerSample, blockSamples } = this
    const size = blockSamples * bytesPerSample
    for (let at = from * bytesPerSample; at < bytes.length; at += size) {
      const block = bytes.subarray(at, at + size)
      this.#codec.decode(block, this.#pcm)
      const samples = Math.floor(block.length / bytesPerSample)
      this.#emit(samples === blockSamples ? this.#pcm : this.#pcm.subarray(0, samples))
    }
  }

  silence(samples: number): void {
    const block = this.blockSamples
    for (let left = samples; left > 0; left -= block)
      this.#emit(left >= block ? this.#silent : this.#silent.subarray(0, left))
  }

  #emit(pcm: Int16Array): void {
    // Audio of a slow carrier lasts longer in our time.
    const target = this.#drift.correctionMs * (SAMPLE_RATE / 1_000)
    this.#framer.write(this.#corrector.correct(this.#resampler.process(pcm), target))
  }
}

/**
 * Returns the bytes of a payload, which a string has as base64, with or without padding; valid until the next call for any
 * leg. Returns undefined if it is not base64.
 */
export function bytesOf(payload: string | Buffer): Buffer | undefined {
  if (typeof payload !== 'string') return payload
  let length = payload.length
  if (length > 0 && payload.charCodeAt(length - 1) === 61) length--
  if (length > 0 && payload.charCodeAt(length - 1) === 61) length--
  if (length % 4 === 1) return undefined
  const expected = (length * 3) >> 2
  // The decoder skips characters that are not base64, so a shortfall reveals them.
  return BYTES.write(payload, 0, BYTES.length, 'base64') === expected
    ? BYTES.subarray(0, expected)
    : undefined
}

// Shared by all legs: holds data only while one message is built. Grows to the largest message.
let encoded = Buffer.allocUnsafeSlow(1_600)

/** Converts audio for the participant: 16 kHz in, that of the line out, with comfort noise. */
export class LineEncoder {
  readonly #resampler: Resampler
  readonly #codec: SampleCodec
  readonly #noise: ComfortNoise
  readonly #drift: ClockDrift
  /** Telnyx, for example, takes no messages below 20 ms. */
  readonly #corrector = new SampleCorrector(FRAME_SAMPLES + 1)
  /** Samples to insert, as far as they follow from the audio sent so far. */
  #due = 0

  /** `drift`: of the carrier’s clock, which plays the audio. */
  constructor({ codec, rate }: LineFormat, drift: ClockDrift) {
    this.#drift = drift
    this.#codec = sampleCodec(codec)
    this.#resampler = createResampler(SAMPLE_RATE, rate)
    this.#noise = new ComfortNoise(rate)
  }

  /** Returns `frames` as long as the carrier’s clock needs them; valid until the next call for any leg. */
  correct(frames: Int16Array): Int16Array {
    // A slow carrier plays less in our time: it gets less.
    this.#due -= frames.length * this.#drift.rate
    return this.#corrector.correct(frames, this.#due)
  }

  /** Returns `frames` at the rate and in the codec of the line; valid until the next call for any leg. */
  encode(frames: Int16Array): Buffer {
    const pcm = this.#noise.add(this.#resampler.process(frames))
    const length = pcm.length * this.#codec.bytesPerSample
    if (length > encoded.length) encoded = Buffer.allocUnsafeSlow(length)
    const bytes = encoded.subarray(0, length)
    this.#codec.encode(pcm, bytes)
    return bytes
  }
}
