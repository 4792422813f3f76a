/** Samples in the order they came, taken out in pieces of any length. */
export class PcmQueue {
  #pieces: Int16Array[] = []
  /** Samples of the first piece that are taken already. */
  #offset = 0
  #length = 0

  /** Samples waiting. */
  get length(): number {
    return this.#length
  }

  /** Keeps a copy of `pcm`. */
  push(pcm: Int16Array): void {
    if (pcm.length === 0) return
    this.#pieces.push(pcm.slice())
    this.#length += pcm.length
  }

  /** Moves up to `into.length` samples into `into` and says how many. */
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
        this.#offset = 0
      }
    }
    this.#length -= filled
    return filled
  }

  clear(): void {
    this.#pieces = []
    this.#offset = 0
    this.#length = 0
  }
}
