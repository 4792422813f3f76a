import type { Utterance } from './utterance.ts'

/** mp3 frames decoded in one tick over all utterances: some 4 ms of work, twenty times real time for a thousand legs. */
const FRAMES_A_TICK = 600
/** … and for one utterance: over half a second of voice, so that it soon needs no decoder any more. */
const FRAMES_EACH = 16

/** Spreads the decoding of long results over ticks, so that one turn of the event loop stays short. */
export class DecodeQueue {
  readonly #utterances = new Set<Utterance>()
  readonly #failed: (error: unknown) => void

  /** `failed` is told what decoding threw; it costs that utterance alone. */
  constructor(failed: (error: unknown) => void = () => {}) {
    this.#failed = failed
  }

  /** Decodes `utterance` from the next tick on until it is complete. */
  add(utterance: Utterance): void {
    this.#utterances.add(utterance)
  }

  get size(): number {
    return this.#utterances.size
  }

  tick(): void {
    if (this.#utterances.size === 0) return
    const each = Math.max(1, Math.min(FRAMES_EACH, Math.floor(FRAMES_A_TICK / this.#utterances.size)))
    for (const utterance of this.#utterances)
      try {
        // Whoever wanted to hear it has left: the rest of it would be decoded for nobody.
        if (utterance.audio.abandoned) utterance.close()
        if (!utterance.decode(each)) this.#utterances.delete(utterance)
      } catch (error) {
        this.#failed(error)
        this.#utterances.delete(utterance)
        this.#close(utterance)
      }
  }

  /** Decodes no more of what is in it, and forgets it: nobody is there to hear it. */
  clear(): void {
    for (const utterance of this.#utterances) this.#close(utterance)
    this.#utterances.clear()
  }

  #close(utterance: Utterance): void {
    try {
      utterance.close()
    } catch (error) {
      this.#failed(error)
    }
  }
}
