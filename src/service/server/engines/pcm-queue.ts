import { durationMs } from '../../../transcode/pcm.ts'
import { rushed } from './due-times.ts'

/** Samples in order of arrival, read in pieces of any length. */
export class PcmQueue {
  #pieces: Int16Array[] = []
  /** Due time of each piece. */
  #dues: number[] = []
  /** Samples of the first piece already read. */
  #offset = 0
  #length = 0

  /** Number of queued samples. */
  get length(): number {
    return this.#length
  }

  /** Due time of the oldest sample; undefined if the queue is empty. */
  get due(): number | undefined {
    const first = this.#dues[0]
    return first === undefined ? undefined : first + rushed(durationMs(this.#offset))
  }

  /** Adds a copy of `pcm`, whose first sample is due at `due`. */
  push(pcm: Int16Array, due: number): void {
    if (pcm.length === 0) return
    this.#pieces.push(pcm.slice())
    this.#dues.push(due)
    this.#length += pcm.length
  }

  /** Moves up to `into.length` samples into `into`; returns their number. */
  take(into: Int16Array): number {
    let filled = 0
    while (filled < into.length) {
      const piece = this.#pieces[0]
      if (!piece) break
      const part = piece.subarray(this.#offset, this.#offset + into.length - filled)
      into.set(part, filled)
      filled += part.length
      this.#offset += part.length
      if (this.#offset === piece.length) {
        this.#pieces.shift()
        this.#dues.shift()
        this.#offset = 0
      }
    }
    this.#length -= filled
    return filled
  }

  clear(): void {
    this.#pieces = []
    this.#dues = []
    this.#offset = 0
    this.#length = 0
  }
}
