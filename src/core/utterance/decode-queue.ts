import type { Utterance } from './utterance.ts'

/** MP3 frames decoded per tick across all utterances: about 4 ms of work, 20 times real time for a thousand legs. */
const FRAMES_A_TICK = 600
/** … and per utterance: more than half a second of audio, so that it soon frees its decoder. */
const FRAMES_EACH = 16

/** Spreads the decoding of long results over several ticks, to keep each turn of the event loop short. */
export class DecodeQueue {
  readonly #utterances = new Set<Utterance>()
  readonly #failed: (error: unknown) => void

  /** Calls `failed` with exceptions from decoding, which affect only their own utterance. */
  constructor(failed: (error: unknown) => void = () => {}) {
    this.#failed = failed
  }

  /** Decodes `utterance`, starting with the next tick, until it is complete. */
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
        // All listeners have left, so the rest need not be decoded.
        if (utterance.audio.abandoned) utterance.close()
        if (!utterance.decode(each)) this.#utterances.delete(utterance)
      } catch (error) {
        this.#failed(error)
        this.#utterances.delete(utterance)
        this.#close(utterance)
      }
  }

  /** Closes and removes all utterances. */
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
