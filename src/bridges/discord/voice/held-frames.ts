/** Frames of one speaker that are kept at most, and for how long (ms): one second. */
const FRAMES_MOST = 50
const KEPT_MS = 1_000

/** A frame whose end-to-end encryption cannot be undone yet. */
export interface HeldFrame {
  readonly sequence: number
  readonly timestamp: number
  readonly frame: Buffer
  readonly at: number
}

/**
 * What one speaker said under a key that we do not have yet: their voice goes one way, and the new key another. When there
 * is another key, it is tried again.
 */
export class HeldFrames {
  #frames: HeldFrame[] = []

  get any(): boolean {
    return this.#frames.length > 0
  }

  keep(held: HeldFrame): void {
    if (this.#frames.length >= FRAMES_MOST) this.#frames.shift()
    this.#frames.push(held)
  }

  /** What is not too old at `now`, in order; it is kept no longer. */
  take(now: number): readonly HeldFrame[] {
    const frames = this.#frames
    this.#frames = []
    return frames.filter(({ at }) => now - at <= KEPT_MS)
  }

  clear(): void {
    if (this.any) this.#frames = []
  }
}
