import { durationMs } from '../../../../transcode/pcm.ts'

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
