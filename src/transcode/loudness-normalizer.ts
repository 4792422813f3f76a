import { SAMPLE_RATE, saturate } from './pcm.ts'
import { approach, BLOCK_SAMPLES, KWeighting, meanSquareOf, SpeechLoudness } from './speech-loudness.ts'

/** Maximum gain in either direction (dB). */
const MOST_GAIN_DB = 12
/** Weight of earlier measurements at the start of an utterance: 0.3 s of speech. */
const MEMORY_BLOCKS = 30
/** Initial assumption that a voice has the target level, weighted like this much speech: 50 ms. */
const TRUST_BLOCKS = 5
/** Samples up to this level stay unchanged; above it they are compressed below full scale (−3 dBFS). */
const KNEE = 0.708 * 32_768
const HEADROOM = 32_767 - KNEE

/** Range of target levels (LUFS). */
const LEAST_TARGET_DB = -40
const MOST_TARGET_DB = -10

/**
 * Normalizes the loudness of one voice (16 kHz, mono) to a common level, with a slowly changing gain of −12 to +12 dB. It
 * measures speech, not pauses, and keeps the measurement between utterances, so that the next one starts at the right
 * level. Each call measures its samples before it amplifies them: larger ones give a better start. Peaks above full scale
 * are compressed, never clipped.
 */
export class LoudnessNormalizer {
  readonly #targetDb: number
  readonly #mostGainDb: number
  readonly #speech: SpeechLoudness
  readonly #weighting = new KWeighting()
  /** Current gain and target gain (dB). */
  #gainDb = 0
  #goalDb = 0
  /** Loudness before amplification (LUFS). */
  #measuredDb: number
  /** The incomplete block. */
  #energy = 0
  #filled = 0

  /**
   * `targetDb`: the loudness of speech that is wanted, in LUFS; without an earlier measurement, the voice is assumed to have
   * it. Throws RangeError unless it is between −40 and −10. `mostGainDb`: largest gain in either direction; 0 only measures.
   * `speech`: an earlier measurement, which it owns from now on.
   */
  constructor(targetDb: number, mostGainDb: number = MOST_GAIN_DB, speech?: SpeechLoudness) {
    if (!(targetDb >= LEAST_TARGET_DB && targetDb <= MOST_TARGET_DB))
      throw new RangeError(
        `the level lies between ${LEAST_TARGET_DB} and ${MOST_TARGET_DB} LUFS, got ${targetDb}`,
      )
    this.#targetDb = targetDb
    this.#mostGainDb = mostGainDb
    this.#measuredDb = targetDb
    this.#speech = speech ?? new SpeechLoudness()
    if (!speech) for (let n = 0; n < TRUST_BLOCKS; n++) this.#speech.add(meanSquareOf(targetDb))
  }

  /** Current gain (dB). */
  get gainDb(): number {
    return this.#gainDb
  }

  /** Loudness of the voice with the current gain (LUFS). */
  get loudnessDb(): number {
    return this.#measuredDb + this.#gainDb
  }

  /** Starts an utterance, possibly in another voice. */
  begin(): void {
    this.#speech.fade(MEMORY_BLOCKS)
    this.#weighting.reset()
    this.#energy = 0
    this.#filled = 0
  }

  /** Returns an independent normalizer that continues with the same measurement and gain, for the next utterance. */
  copy(): LoudnessNormalizer {
    const copy = new LoudnessNormalizer(this.#targetDb, this.#mostGainDb, this.#speech.copy())
    copy.#gainDb = this.#gainDb
    copy.#goalDb = this.#goalDb
    copy.#measuredDb = this.#measuredDb
    return copy
  }

  /** Normalizes the next samples of the utterance in place, any number. */
  process(pcm: Int16Array): void {
    this.#measure(pcm)
    if (this.#mostGainDb === 0) return
    for (let at = 0; at < pcm.length; at += BLOCK_SAMPLES)
      this.#amplify(pcm, at, Math.min(pcm.length, at + BLOCK_SAMPLES))
  }

  #measure(pcm: Int16Array): void {
    for (let at = 0; at < pcm.length; ) {
      const end = Math.min(pcm.length, at + BLOCK_SAMPLES - this.#filled)
      this.#energy += this.#weighting.energy(pcm, at, end)
      this.#filled += end - at
      at = end
      if (this.#filled < BLOCK_SAMPLES) break
      this.#speech.add(this.#energy / BLOCK_SAMPLES)
      this.#energy = 0
      this.#filled = 0
    }
    this.#measuredDb = this.#speech.db
    const wanted = this.#targetDb - this.#measuredDb
    this.#goalDb = Math.min(this.#mostGainDb, Math.max(-this.#mostGainDb, wanted))
  }

  #amplify(pcm: Int16Array, from: number, to: number): void {
    const gain = 10 ** (this.#gainDb / 20)
    this.#gainDb = approach(this.#gainDb, this.#goalDb, ((to - from) * 1_000) / SAMPLE_RATE)
    const rise = (10 ** (this.#gainDb / 20) - gain) / (to - from)
    for (let i = from; i < to; i++) {
      const value = pcm[i]! * (gain + rise * (i - from))
      pcm[i] = value <= KNEE && value >= -KNEE ? saturate(value) : soft(value)
    }
  }
}

/** Compresses a value beyond the knee; the result stays below full scale. */
function soft(value: number): number {
  const over = (Math.abs(value) - KNEE) / HEADROOM
  return Math.round(Math.sign(value) * (KNEE + (HEADROOM * over) / (1 + over)))
}
