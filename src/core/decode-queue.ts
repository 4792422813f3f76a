import type { Utterance } from './utterance.ts'

/** mp3 frames decoded in one tick over all utterances: about 3 ms of work. */
const FRAMES_A_TICK = 120
/** … and at most this many for one utterance: six times real time. */
const FRAMES_EACH = 4

/** Spreads the decoding of long results over ticks, so that one turn of the event loop stays short. */
export class DecodeQueue {
  readonly #utterances = new Set<Utterance>()

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
    for (const utterance of this.#utterances) if (!utterance.decode(each)) this.#utterances.delete(utterance)
  }

  close(): void {
    for (const utterance of this.#utterances) utterance.close()
    this.#utterances.clear()
  }
}
