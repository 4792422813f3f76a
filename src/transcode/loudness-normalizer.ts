import { SAMPLE_RATE, saturate } from './pcm.ts'

/** Minimum level that counts as speech (dBFS). */
const FLOOR_DB = -48
/** Number of 1 dB steps from the floor to full scale. */
const BINS = 48
/** Level below the mean at which blocks count as pauses (dB), about 28 below the loudest. */
const GATE_DB = 18
const FULL_SCALE = 32_768

/**
 * Measures the level of speech: the RMS of blocks with speech, without pauses (gated RMS). It keeps a histogram, so
 * that a pause, a click or a silent start does not distort it.
 */
class SpeechLoudness {
  /** Number of blocks by level, followed by their power: one array, because every voice keeps copies. */
  readonly #histogram = new Float64Array(2 * BINS)
  #count = 0

  /** Returns an independent copy. */
  copy(): SpeechLoudness {
    const copy = new SpeechLoudness()
    copy.#histogram.set(this.#histogram)
    copy.#count = this.#count
    return copy
  }

  /** Number of blocks counted. */
  get count(): number {
    return this.#count
  }

  /** Counts one block of `meanSquare` (sample units, squared). */
  add(meanSquare: number): void {
    const db = 10 * Math.log10(meanSquare / FULL_SCALE ** 2)
    if (!(db > FLOOR_DB)) return
    const bin = Math.min(BINS - 1, Math.floor(db - FLOOR_DB))
    this.#histogram[bin]! += 1
    this.#histogram[BINS + bin]! += meanSquare
    this.#count += 1
  }

  /** Mean square of the speech blocks; 0 before any block was counted. */
  get power(): number {
    const all = this.#mean(0)
    if (all === 0) return 0
    const gate = 10 * Math.log10(all / FULL_SCALE ** 2) - GATE_DB - FLOOR_DB
    return this.#mean(Math.max(0, Math.floor(gate)))
  }

  /** Reduces the weight of earlier blocks to that of `blocks` blocks, so that new ones count more. */
  fade(blocks: number): void {
    if (this.#count <= blocks) return
    const part = blocks / this.#count
    for (let n = 0; n < 2 * BINS; n++) this.#histogram[n]! *= part
    this.#count = blocks
  }

  #mean(from: number): number {
    let blocks = 0
    let power = 0
    for (let bin = from; bin < BINS; bin++) {
      blocks += this.#histogram[bin]!
      power += this.#histogram[BINS + bin]!
    }
    return blocks > 0 ? power / blocks : 0
  }
}

/** Block length of measurement and gain, in samples: 10 ms. */
const BLOCK = SAMPLE_RATE / 100
/** Maximum gain in either direction (dB). */
const MOST_GAIN_DB = 12
/** Rate of gain changes (dB/s), and the increase per dB of error beyond 2 dB. */
const SLOW_DB = 6
const HASTE_DB = 10
const FAIR_DB = 2
/** Weight of earlier measurements at the start of an utterance: 0.3 s of speech. */
const MEMORY_BLOCKS = 30
/** Initial assumption that a voice has the target level, weighted like this much speech: 50 ms. */
const TRUST_BLOCKS = 5
/** Measurement window within an utterance: 4 s. */
const WINDOW_BLOCKS = 400
/** Samples up to this level stay unchanged; above it they are compressed below full scale (−3 dBFS). */
const KNEE = 0.708 * 32_768
const HEADROOM = 32_767 - KNEE

/** Range of target levels (dBFS). */
const LEAST_TARGET_DB = -40
const MOST_TARGET_DB = -10

/**
 * Normalizes the volume of one voice (16 kHz, mono) to a common level, with a slowly changing gain between −12 and
 * +12 dB. It measures speech, not pauses, and keeps the measurement between utterances, so that the next one starts at
 * the right level. Each call measures its samples before it amplifies them: larger ones give a better start. Peaks above
 * full scale are compressed, never clipped.
 */
export class LoudnessNormalizer {
  readonly #targetDb: number
  readonly #target: number
  readonly #speech: SpeechLoudness
  /** Current gain and target gain (dB). */
  #gainDb = 0
  #goalDb = 0
  /** The incomplete block. */
  #square = 0
  #squared = 0

  /**
   * `targetDb`: the target RMS level of speech, in dBFS. Throws RangeError unless it is between −40 and −10. `speech`:
   * an earlier measurement, which it owns from now on.
   */
  constructor(targetDb: number, speech?: SpeechLoudness) {
    if (!(targetDb >= LEAST_TARGET_DB && targetDb <= MOST_TARGET_DB))
      throw new RangeError(
        `the level lies between ${LEAST_TARGET_DB} and ${MOST_TARGET_DB} dBFS, got ${targetDb}`,
      )
    this.#targetDb = targetDb
    this.#target = (32_768 * 10 ** (targetDb / 20)) ** 2
    this.#speech = speech ?? new SpeechLoudness()
    if (!speech) for (let n = 0; n < TRUST_BLOCKS; n++) this.#speech.add(this.#target)
  }

  /** Current gain (dB). */
  get gainDb(): number {
    return this.#gainDb
  }

  /** Starts an utterance, possibly in another voice. */
  begin(): void {
    this.#speech.fade(MEMORY_BLOCKS)
    this.#square = 0
    this.#squared = 0
  }

  /** Returns an independent normalizer in the same state: same measurement, same gain. */
  copy(): LoudnessNormalizer {
    const copy = new LoudnessNormalizer(this.#targetDb, this.#speech.copy())
    copy.#gainDb = this.#gainDb
    copy.#goalDb = this.#goalDb
    copy.#square = this.#square
    copy.#squared = this.#squared
    return copy
  }

  /** Normalizes the next samples of the utterance in place, any number. */
  process(pcm: Int16Array): void {
    this.#measure(pcm)
    for (let at = 0; at < pcm.length; at += BLOCK) this.#amplify(pcm, at, Math.min(pcm.length, at + BLOCK))
  }

  #measure(pcm: Int16Array): void {
    for (let at = 0; at < pcm.length; ) {
      const end = Math.min(pcm.length, at + BLOCK - this.#squared)
      let square = 0
      for (let i = at; i < end; i++) square += pcm[i]! * pcm[i]!
      this.#square += square
      this.#squared += end - at
      at = end
      if (this.#squared < BLOCK) break
      this.#speech.add(this.#square / BLOCK)
      this.#square = 0
      this.#squared = 0
    }
    this.#speech.fade(WINDOW_BLOCKS)
    const wanted = 10 * Math.log10(this.#target / this.#speech.power)
    this.#goalDb = Math.min(MOST_GAIN_DB, Math.max(-MOST_GAIN_DB, wanted))
  }

  #amplify(pcm: Int16Array, from: number, to: number): void {
    const wrong = this.#goalDb - this.#gainDb
    const perSecond = SLOW_DB + HASTE_DB * Math.max(0, Math.abs(wrong) - FAIR_DB)
    const most = (perSecond * (to - from)) / SAMPLE_RATE
    const gain = 10 ** (this.#gainDb / 20)
    this.#gainDb += Math.min(most, Math.max(-most, wrong))
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
