import { SAMPLE_RATE } from './pcm.ts'
import { saturate } from './saturate.ts'
import { SpeechLevel } from './speech-level.ts'

/** Samples that are measured, and get a gain, together: 10 ms. */
const BLOCK = SAMPLE_RATE / 100
/** No voice is made louder or softer than by this (dB). */
const MOST_GAIN_DB = 12
/** How fast the gain may change (dB a second), and by how much more for each dB that it is wrong beyond 2 dB. */
const SLOW_DB = 6
const HASTE_DB = 10
const FAIR_DB = 2
/** What was measured before weighs like this at the beginning of an utterance: 0.3 s of speech. */
const MEMORY_BLOCKS = 30
/** A voice not heard yet is taken to be as loud as wanted, for this much: 50 ms. */
const TRUST_BLOCKS = 5
/** Within an utterance the last 4 s count. */
const WINDOW_BLOCKS = 400
/** Up to here samples stay as they are, above they are pressed together below full scale (−3 dBFS). */
const KNEE = 0.708 * 32_768
const HEADROOM = 32_767 - KNEE

/** Levels that are asked for (dBFS). */
const LEAST_TARGET_DB = -40
const MOST_TARGET_DB = -10

/**
 * Brings one voice (16 kHz, mono) to the level that all voices have, by a slow gain between −12 and +12 dB. It measures
 * speech, not pauses, and remembers the voice from one utterance to the next, so that the next begins right. All that
 * was written is measured before any of it is taken: the more at once, the better it begins. What would be too loud
 * after that is pressed together, never cut off.
 */
export class Leveller {
  readonly #target: number
  readonly #speech = new SpeechLevel()
  #pcm: Int16Array = new Int16Array(16 * BLOCK)
  #length = 0
  /** Gain now, and where it goes (dB). */
  #gainDb = 0
  #goalDb = 0
  /** The block that is not whole yet. */
  #square = 0
  #squared = 0

  /** `targetDb`: the level of speech wanted, RMS in dBFS. Throws RangeError unless it lies between −40 and −10. */
  constructor(targetDb: number) {
    if (!(targetDb >= LEAST_TARGET_DB && targetDb <= MOST_TARGET_DB))
      throw new RangeError(
        `the level lies between ${LEAST_TARGET_DB} and ${MOST_TARGET_DB} dBFS, got ${targetDb}`,
      )
    this.#target = (32_768 * 10 ** (targetDb / 20)) ** 2
    for (let n = 0; n < TRUST_BLOCKS; n++) this.#speech.add(this.#target)
  }

  /** The gain now (dB). */
  get gainDb(): number {
    return this.#gainDb
  }

  /** An utterance begins; perhaps in another voice. */
  begin(): void {
    this.#speech.fade(MEMORY_BLOCKS)
    this.#square = 0
    this.#squared = 0
  }

  /** Adds samples of that utterance, any number; they are copied. */
  write(pcm: Int16Array): void {
    if (this.#length + pcm.length > this.#pcm.length) {
      const larger = new Int16Array(2 * (this.#length + pcm.length))
      larger.set(this.#pcm.subarray(0, this.#length))
      this.#pcm = larger
    }
    this.#pcm.set(pcm, this.#length)
    this.#length += pcm.length
  }

  /** Everything written since the last call, levelled: valid until the next `write`. */
  take(): Int16Array {
    const pcm = this.#pcm.subarray(0, this.#length)
    this.#length = 0
    this.#measure(pcm)
    for (let at = 0; at < pcm.length; at += BLOCK) this.#amplify(pcm, at, Math.min(pcm.length, at + BLOCK))
    return pcm
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

/** A value beyond the knee: ever less than it was, never full scale. */
function soft(value: number): number {
  const over = (Math.abs(value) - KNEE) / HEADROOM
  return Math.round(Math.sign(value) * (KNEE + (HEADROOM * over) / (1 + over)))
}
