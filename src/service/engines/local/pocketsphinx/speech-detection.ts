import { durationMs } from '../../../../transcode/pcm.ts'

/** Taps of the high-pass filter above the phone band. */
const TAPS = 63
/** Cutoff as a share of the sample rate: 5.2 kHz of 16. */
const EDGE = 5_200 / 16_000
/** Minimum level for a decision (RMS). */
const AUDIBLE_RMS = 80
/** Maximum rounding noise above the band (RMS), and the leakage of the filter. */
const ROUNDING_NOISE_RMS = 0.6
const LEAK = 0.0005

const HIGH_PASS = highPass()

/**
 * Returns true if 16 kHz audio came by phone: it was sampled at 8 kHz on the way, so it has nothing above 4 kHz, not
 * even noise. Undefined if the level is too low.
 */
export function isTelephoneBand(pcm: Int16Array): boolean | undefined {
  let all = 0
  let high = 0
  let count = 0
  // Every third position is enough to measure a level.
  for (let at = 0; at + TAPS <= pcm.length; at += 3) {
    let value = 0
    for (let tap = 0; tap < TAPS; tap++) value += HIGH_PASS[tap]! * pcm[at + tap]!
    high += value * value
    all += pcm[at]! * pcm[at]!
    count++
  }
  const level = Math.sqrt(all / count)
  if (!(level > AUDIBLE_RMS)) return undefined
  return Math.sqrt(high / count) < ROUNDING_NOISE_RMS + level * LEAK
}

/** Windowed sinc, Blackman: over 70 dB down below 4.7 kHz. */
function highPass(): Float64Array {
  const middle = (TAPS - 1) / 2
  return Float64Array.from({ length: TAPS }, (_, tap) => {
    const n = tap - middle
    const ideal = n === 0 ? 1 - 2 * EDGE : -Math.sin(2 * Math.PI * EDGE * n) / (Math.PI * n)
    const phase = (2 * Math.PI * tap) / (TAPS - 1)
    return ideal * (0.42 - 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase))
  })
}

/** Length of speech before the decoder detects it, including a margin (0.2 s). */
const ONSET_SAMPLES = 3_200

/** Maximum level of mere noise (RMS), which a recognizer takes for a short word. */
const NOISE_RMS = 800

/**
 * Tracks the start and level of the utterance in progress, from the pieces fed to a decoder. Pure bookkeeping,
 * independent of decoder and time.
 */
export class UtteranceBounds {
  /** Samples of the session's own audio fed so far. */
  position = 0
  #utterance = 1
  #start = 0
  #end = 0
  #loudest = 0
  #level = 0

  get utterance(): number {
    return this.#utterance
  }

  get startMs(): number {
    return Math.round(durationMs(this.#start))
  }

  get positionMs(): number {
    return Math.round(durationMs(this.position))
  }

  /** Length of the utterance so far (ms). */
  get lengthMs(): number {
    return durationMs(this.position - this.#start)
  }

  /**
   * True if the last piece was quiet relative to the loudest of the utterance, which makes it the best place to cut.
   */
  get soft(): boolean {
    return this.#level < this.#loudest / 10
  }

  /** Counts a piece that was fed; `own` is true for the session's own audio. */
  fed(pcm: Int16Array, speaking: boolean, own: boolean): void {
    if (own) this.position += pcm.length
    let sum = 0
    for (const sample of pcm) sum += sample * sample
    this.#level = Math.sqrt(sum / Math.max(1, pcm.length))
    // The onset is before its detection, so the level just before counts as well.
    this.#loudest = speaking ? Math.max(this.#loudest, this.#level) : this.#level
  }

  /** Records the start of speech: somewhere in the last piece, of `samples`, or slightly before. */
  began(samples: number): void {
    this.#start = Math.max(this.#end, this.position - samples - ONSET_SAMPLES)
  }

  /** Ends the utterance, covering the audio up to `samples` before the position. Returns the end (ms). */
  ended(samples: number): number {
    this.#end = Math.max(this.#start, this.position - samples)
    return Math.round(durationMs(this.#end))
  }

  /** True if `text` is more likely noise than a word: one short word, never loud. */
  unlikely(text: string): boolean {
    return text.length <= 3 && !text.includes(' ') && this.#loudest < NOISE_RMS
  }

  /** Starts the next utterance. */
  next(): void {
    this.#utterance++
    this.#loudest = 0
  }
}
