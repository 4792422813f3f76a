/** Splits PCM of any length into frames of a fixed length. */
export class Framer {
  readonly samplesPerFrame: number
  #emit: (frame: Int16Array) => void
  #frame: Int16Array
  #filled = 0

  /**
   * `emit` receives each complete frame of `samplesPerFrame` samples, in order, during the `write` that completed it.
   * The frame is borrowed for that call only: copy it to keep it, never write into it. Throws RangeError unless
   * `samplesPerFrame` is a positive integer.
   */
  constructor(samplesPerFrame: number, emit: (frame: Int16Array) => void) {
    if (!Number.isInteger(samplesPerFrame) || samplesPerFrame < 1)
      throw new RangeError(`a frame is a whole number of samples above 0, got ${samplesPerFrame}`)
    this.samplesPerFrame = samplesPerFrame
    this.#emit = emit
    this.#frame = new Int16Array(samplesPerFrame)
  }

  /** Number of samples in the incomplete frame. */
  get pending(): number {
    return this.#filled
  }

  /** Accepts any number of samples; `pcm` is not kept. Complete frames inside `pcm` are passed on without a copy. */
  write(pcm: Int16Array): void {
    const size = this.samplesPerFrame
    let at = 0
    if (this.#filled > 0) {
      at = Math.min(size - this.#filled, pcm.length)
      this.#frame.set(at === pcm.length ? pcm : pcm.subarray(0, at), this.#filled)
      this.#filled += at
      if (this.#filled < size) return
      this.#filled = 0
      this.#emit(this.#frame)
    }
    for (; at + size <= pcm.length; at += size)
      this.#emit(pcm.length === size ? pcm : pcm.subarray(at, at + size))
    if (at < pcm.length) {
      this.#frame.set(pcm.subarray(at))
      this.#filled = pcm.length - at
    }
  }

  /** Emits the incomplete frame, padded with silence. Idempotent. */
  end(): void {
    if (this.#filled === 0) return
    this.#frame.fill(0, this.#filled)
    this.#filled = 0
    this.#emit(this.#frame)
  }

  /** Drops the incomplete frame. */
  reset(): void {
    this.#filled = 0
  }
}
