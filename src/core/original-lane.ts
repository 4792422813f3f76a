import { FRAME_SAMPLES, SAMPLE_RATE } from '../transcode/pcm.ts'

/** The most that is kept (400 ms); live voice never arrives later than that. */
const MOST_FRAMES = 20
/** Where a frame is left out, its neighbours go over into each other (5 ms). */
const SEAM_SAMPLES = SAMPLE_RATE / 200

/**
 * One speaker's own voice on its way to one listener: a short bounded queue. It fills, then drains; when it has run
 * dry it fills again. While more waits than it needs, quiet frames are left out, so the voice stays close to live.
 */
export class OriginalLane {
  readonly #frames: Int16Array[] = []
  readonly #quiet: boolean[] = []
  #read = 0
  #count = 0
  readonly #onDropped: () => void
  #flowing = false
  #lastQuiet = true
  /** The beginning of the first frame that was left out since one was taken. */
  readonly #seam = new Int16Array(SEAM_SAMPLES)
  #seamed = false

  /** `onDropped` is called for each frame left out or lost to the bound. */
  constructor(onDropped: () => void = () => {}) {
    this.#onDropped = onDropped
  }

  /** Frames that wait. */
  get length(): number {
    return this.#count
  }

  /** It was taken from and has not run dry since. */
  get flowing(): boolean {
    return this.#flowing
  }

  /** Whether the frame taken last was no speech. */
  get quiet(): boolean {
    return this.#lastQuiet
  }

  /** Frames that may be taken now: none while it fills up to `prime`, what the network may be late without a gap. */
  ready(prime: number): number {
    return this.#flowing || this.#count >= prime ? this.#count : 0
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
  next(prime: number): Int16Array | undefined {
    if (this.ready(prime) === 0) {
      this.#flowing = false
      return undefined
    }
    this.#flowing = true
    while (this.#count > prime && this.#quiet[this.#read]) this.#skip()
    const frame = this.#frames[this.#read]
    this.#lastQuiet = this.#quiet[this.#read] ?? true
    this.#advance()
    if (frame && this.#seamed) this.#close(frame)
    return frame
  }

  clear(): void {
    this.#count = 0
    this.#flowing = false
    this.#seamed = false
  }

  /** Leaves out the oldest frame; its beginning is kept, which continues what was taken last. */
  #skip(): void {
    const left = this.#frames[this.#read]
    if (left && !this.#seamed) {
      for (let n = 0; n < SEAM_SAMPLES; n++) this.#seam[n] = left[n]!
      this.#seamed = true
    }
    this.#advance()
    this.#onDropped()
  }

  /** Lets what was left out go over into `frame`. */
  #close(frame: Int16Array): void {
    for (let n = 0; n < SEAM_SAMPLES; n++)
      frame[n] = (this.#seam[n]! * (SEAM_SAMPLES - n) + frame[n]! * n) / SEAM_SAMPLES
    this.#seamed = false
  }

  #advance(): void {
    this.#read = (this.#read + 1) % MOST_FRAMES
    this.#count--
  }
}
