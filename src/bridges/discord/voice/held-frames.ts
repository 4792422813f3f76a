/** Maximum number of frames kept per speaker, and their maximum age (ms): one second. */
const FRAMES_MOST = 50
const FRAME_KEPT_MS = 1_000

/** A frame that cannot be decrypted yet. */
export interface HeldFrame {
  readonly sequence: number
  readonly timestamp: number
  readonly frame: Buffer
  readonly at: number
}

/**
 * Frames of one speaker that were encrypted with a key we do not have yet: audio and keys arrive over different
 * connections. Decryption is retried with the next key.
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

  /** Removes all frames and returns, in order, all that are not too old at `now`. */
  take(now: number): readonly HeldFrame[] {
    const frames = this.#frames
    this.#frames = []
    return frames.filter(({ at }) => now - at <= FRAME_KEPT_MS)
  }

  clear(): void {
    if (this.any) this.#frames = []
  }
}
