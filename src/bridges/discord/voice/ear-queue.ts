import { FRAME_SAMPLES } from '../../../transcode/pcm.ts'

/** Queue of frames to send, in preallocated memory, with marks between them. */
export class EarQueue {
  readonly #slots: readonly Int16Array[]
  readonly #marks: { readonly name: string; readonly behind: number }[] = []
  /** Total frames added and removed. */
  #in = 0
  #out = 0

  constructor(capacityFrames: number) {
    this.#slots = Array.from({ length: capacityFrames }, () => new Int16Array(FRAME_SAMPLES))
  }

  get frames(): number {
    return this.#in - this.#out
  }

  /** Copies whole frames. Returns the number of frames that did not fit. */
  push(frames: Int16Array): number {
    const count = frames.length / FRAME_SAMPLES
    for (let n = 0; n < count; n++) {
      if (this.frames === this.#slots.length) return count - n
      const slot = this.#slots[this.#in++ % this.#slots.length]!
      const from = n * FRAME_SAMPLES
      for (let at = 0; at < FRAME_SAMPLES; at++) slot[at] = frames[from + at]!
    }
    return 0
  }

  /** Returns the next frame, borrowed until the next `push`, or undefined. */
  take(): Int16Array | undefined {
    return this.frames === 0 ? undefined : this.#slots[this.#out++ % this.#slots.length]!
  }

  /** Adds a mark after the frames added so far. */
  mark(name: string): void {
    this.#marks.push({ name, behind: this.#in })
  }

  get marks(): number {
    return this.#marks.length
  }

  /** Returns the next mark whose preceding frames have all been removed, or undefined. */
  takeMark(): string | undefined {
    const [first] = this.#marks
    return first !== undefined && first.behind <= this.#out ? this.#marks.shift()?.name : undefined
  }

  /** Drops frames and marks. */
  clear(): void {
    this.#out = this.#in
    this.#marks.length = 0
  }
}
