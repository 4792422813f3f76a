import { FRAME_SAMPLES } from '../transcode/pcm.ts'

/** Frames gathered before a voice begins to flow: what the network may be late without a gap (60 ms). */
const PRIME_FRAMES = 3
/** The most that is kept (400 ms); live voice never arrives later than that. */
const MOST_FRAMES = 20

/**
 * One speaker's own voice on its way to one listener: a short bounded queue. It fills, then drains; when it has run
 * dry it fills again. While more waits than it needs, quiet frames are left out, so the voice stays close to live.
 */
export class OriginalLane {
  readonly #frames: Int16Array[] = []
  readonly #quiet: boolean[] = []
  #read = 0
  #count = 0
  #flowing = false
  /** Frames left out or lost to the bound. */
  dropped = 0

  /** Frames that wait. */
  get length(): number {
    return this.#count
  }

  /** Frames that may be taken now: none while it fills. */
  get ready(): number {
    return this.#flowing || this.#count >= PRIME_FRAMES ? this.#count : 0
  }

  /** Adds a copy of `frame`; the oldest goes when it is full. */
  write(frame: Int16Array, quiet: boolean): void {
    if (this.#count === MOST_FRAMES) this.#skip()
    const at = (this.#read + this.#count) % MOST_FRAMES
    this.#frames[at] ??= new Int16Array(FRAME_SAMPLES)
    this.#frames[at].set(frame)
    this.#quiet[at] = quiet
    this.#count++
  }

  /** The next frame, valid until the next `write`; undefined while it fills or is empty. */
  next(): Int16Array | undefined {
    if (this.ready === 0) {
      this.#flowing = false
      return undefined
    }
    this.#flowing = true
    while (this.#count > PRIME_FRAMES && this.#quiet[this.#read]) this.#skip()
    const frame = this.#frames[this.#read]
    this.#advance()
    return frame
  }

  clear(): void {
    this.#count = 0
    this.#flowing = false
  }

  #skip(): void {
    this.#advance()
    this.dropped++
  }

  #advance(): void {
    this.#read = (this.#read + 1) % MOST_FRAMES
    this.#count--
  }
}
