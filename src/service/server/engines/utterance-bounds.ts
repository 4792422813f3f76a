import { durationMs } from '../../../transcode/pcm.ts'

/** Samples that speech must last before the decoder calls it speech, with some before it (0.2 s). */
const ONSET_SAMPLES = 3_200

/** Loudest a piece of mere noise is (rms); a recogniser makes a short word of it. */
const NOISE_RMS = 800

/**
 * Where the utterance in progress begins and how loud it is, from the pieces fed to a decoder.
 * Pure bookkeeping: knows neither decoder nor time.
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

  /** Milliseconds since speech began. */
  get lengthMs(): number {
    return durationMs(this.position - this.#start)
  }

  /** Whether the last piece was soft beside the loudest of the utterance: the least bad place to cut. */
  get soft(): boolean {
    return this.#level < this.#loudest / 10
  }

  /** Counts a piece that was fed, the session's own audio or not (`own`). */
  fed(pcm: Int16Array, speaking: boolean, own: boolean): void {
    if (own) this.position += pcm.length
    let sum = 0
    for (const sample of pcm) sum += sample * sample
    this.#level = Math.sqrt(sum / Math.max(1, pcm.length))
    // The onset lies before the decoder is sure of it, so the level of what came before counts as well.
    this.#loudest = speaking ? Math.max(this.#loudest, this.#level) : this.#level
  }

  /** Speech has just begun: somewhere in the last piece, of `samples`, or a little before. */
  began(samples: number): void {
    this.#start = Math.max(this.#end, this.position - samples - ONSET_SAMPLES)
  }

  /** The utterance ends, covering the audio up to `samples` before the position. Answers that end in ms. */
  ended(samples: number): number {
    this.#end = Math.max(this.#start, this.position - samples)
    return Math.round(durationMs(this.#end))
  }

  /** Whether `text` is more likely noise than a word: one short word, never loud. */
  unlikely(text: string): boolean {
    return text.length <= 3 && !text.includes(' ') && this.#loudest < NOISE_RMS
  }

  /** The next utterance begins to be counted. */
  next(): void {
    this.#utterance++
    this.#loudest = 0
  }
}
