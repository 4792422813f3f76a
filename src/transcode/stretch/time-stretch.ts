import { SAMPLE_RATE, saturate } from '../pcm.ts'
import { BLOCK, findPitchPeriod, PauseDetector, type Repetition } from './voice-analysis.ts'

/** Buffer capacity in samples: 256 ms. */
const CAPACITY = 4_096

/**
 * A delay line whose next samples are known. A piece can be removed from it with a crossfade, so that it does not
 * click. Owns its memory and allocates nothing after construction.
 */
export class LookAhead {
  /** Buffered samples are between `start` and `end`. */
  readonly pcm = new Int16Array(CAPACITY)
  start = 0
  end = 0
  #gone = 0

  /** Number of buffered samples. */
  get length(): number {
    return this.end - this.start
  }

  /** Free space in samples. */
  get room(): number {
    return CAPACITY - this.length
  }

  /** Number of samples taken or removed in total. */
  get gone(): number {
    return this.#gone
  }

  /** Adds a copy of `pcm`. Throws RangeError if there is no room for it. */
  append(pcm: Int16Array): void {
    if (pcm.length > this.room)
      throw new RangeError(`the buffer has room for ${this.room} samples, got ${pcm.length}`)
    if (this.end + pcm.length > CAPACITY) {
      this.pcm.copyWithin(0, this.start, this.end)
      this.end -= this.start
      this.start = 0
    }
    this.pcm.set(pcm, this.end)
    this.end += pcm.length
  }

  /** Moves up to `count` samples into `out` from `at` on; returns their number. */
  take(out: Int16Array, at: number, count: number): number {
    const { pcm, start } = this
    const most = Math.min(count, this.length)
    for (let i = 0; i < most; i++) out[at + i] = pcm[start + i]!
    this.start += most
    this.#gone += most
    return most
  }

  /**
   * Removes the next `count` samples, with a crossfade over the `fade` samples that follow. `correlation` (−1 to 1) is the
   * similarity of both sides; it keeps the level constant during the crossfade. Needs `count + fade` samples.
   */
  leaveOut(count: number, fade: number, correlation: number): void {
    if (count + fade > this.length)
      throw new RangeError(`removing ${count} samples needs ${count + fade}, got ${this.length}`)
    const { pcm, start } = this
    const unlike = Math.min(1, 1 - correlation)
    // From back to front: positions already written are not read again.
    for (let i = fade - 1; i >= 0; i--) {
      const into = (i + 0.5) / fade
      const power = 1 - 2 * into * (1 - into) * unlike
      const mixed = pcm[start + i]! * (1 - into) + pcm[start + count + i]! * into
      pcm[start + count + i] = saturate(mixed / Math.sqrt(power))
    }
    this.start += count
    this.#gone += count
  }

  /** Drops all buffered samples. */
  clear(): void {
    this.#gone += this.length
    this.start = 0
    this.end = 0
  }
}

/** Maximum speed: a quarter more words per minute. */
export const MAX_SPEED = 1.25

/** Minimum and maximum length of a removed piece: pitch periods of voices from 67 to 400 Hz (2.5 to 15 ms). */
const LEAST_SKIP = 40
const MOST_SKIP = 240
/** Length of the comparison window and of the crossfade (samples). */
const WINDOW = 240
/**
 * Number of samples due for removal at which the search for a place starts, and at which the best available place is
 * used.
 */
const DUE = 160
const OVERDUE = 400
/** Maximum number of requested samples processed at once; the samples ahead of them must fit, too. */
const MOST_NEEDED = 1_600
/** Required similarity of both sides when removal is due; it decreases until removal is overdue. */
const ALIKE = 0.8

/** Remainder of a pause on each side: 60 ms after speech, and 60 ms before it. */
const KEEP = (SAMPLE_RATE * 60) / 1000
/** Crossfade between the two, and minimum length to remove: 10 and 20 ms. */
const PAUSE_FADE = (SAMPLE_RATE * 10) / 1000
const LEAST_PAUSE = (SAMPLE_RATE * 20) / 1000

/**
 * Plays speech (linear16, 16 kHz, mono) in less time at its original pitch. With `trimming` long pauses are shortened;
 * with a `factor` above 1 whole pitch periods are removed where the voice is most similar to itself one period later
 * (WSOLA). Between these places all samples pass unchanged, so a factor of 1 changes and delays nothing, and the factor
 * can change at any time.
 *
 * It pulls samples from `source` on demand, 30 ms ahead (100 to 250 with `trimming`, in pauses), and copies them. It
 * never removes so much that the requested frame cannot be filled with the available samples.
 */
export class TimeStretcher {
  /** True to shorten pauses to 120 ms. */
  trimming = false
  #factor = 1
  readonly #source: () => Int16Array | undefined
  readonly #ahead = new LookAhead()
  readonly #pauses = new PauseDetector()
  readonly #found: Repetition = { after: 0, correlation: 0 }
  /** Samples still to be removed to reach `factor`. */
  #due = 0
  /** Samples to pass before the next search. */
  #wait = 0
  /** Samples of the current pause that were output. */
  #quiet = 0
  #trimmed = 0
  #hastened = 0

  /** `source` returns the next samples (at most 2 000), or undefined while it is empty. */
  constructor(source: () => Int16Array | undefined) {
    this.#source = source
  }

  get factor(): number {
    return this.#factor
  }

  /** Speed relative to the original, 1 to 1.25. Throws RangeError for other values. */
  set factor(factor: number) {
    if (!(factor >= 1 && factor <= MAX_SPEED))
      throw new RangeError(`factor lies between 1 and ${MAX_SPEED}, got ${factor}`)
    if (factor === 1) this.#due = 0
    this.#factor = factor
  }

  /** Number of buffered samples. */
  get buffered(): number {
    return this.#ahead.length
  }

  /** Position in the source: number of samples output or removed. */
  get position(): number {
    return this.#ahead.gone
  }

  /** Number of samples removed from pauses. */
  get trimmed(): number {
    return this.#trimmed
  }

  /** Number of samples removed from speech. */
  get hastened(): number {
    return this.#hastened
  }

  /** Pulls until `samples` can be read; returns false if the source does not have that many. */
  ready(samples: number): boolean {
    while (this.#ahead.length < samples) if (!this.#pull()) return false
    return true
  }

  /**
   * Fills `out` with the next samples and returns their number: fewer than `out.length` only if the source is currently
   * empty.
   */
  read(out: Int16Array): number {
    let at = 0
    while (at < out.length) {
      const left = Math.min(out.length - at, MOST_NEEDED)
      if (this.trimming) this.#trim(left)
      if (this.#factor > 1) this.#hasten(left)
      this.ready(Math.min(BLOCK, left))
      const count = this.#ahead.take(out, at, Math.min(BLOCK, left))
      if (count === 0) break
      if (this.trimming) this.#quiet = this.#pauses.quiet(out, at, at + count) ? this.#quiet + count : 0
      this.#due += count * (this.#factor - 1)
      this.#wait -= count
      at += count
    }
    return at
  }

  /** Drops the buffered samples. */
  clear(): void {
    this.#ahead.clear()
    this.#due = 0
    this.#wait = 0
    this.#quiet = 0
  }

  #pull(): boolean {
    const pcm = this.#source()
    if (!pcm) return false
    if (this.trimming) this.#pauses.learn(pcm)
    this.#ahead.append(pcm)
    return true
  }

  /** In a sufficiently long pause, removes everything except its end, within the available samples. */
  #trim(needed: number): void {
    if (this.#quiet < KEEP) return
    const ahead = this.#ahead
    for (;;) {
      this.ready(KEEP + PAUSE_FADE + LEAST_PAUSE)
      const end = this.#pauses.end(ahead.pcm, ahead.start, ahead.end)
      const count = Math.min(end - ahead.start - KEEP, ahead.length - needed - PAUSE_FADE)
      if (count < LEAST_PAUSE) return
      ahead.leaveOut(count, PAUSE_FADE, 0)
      this.#trimmed += count
    }
  }

  /** Removes, once removal is due, the number of samples that makes the voice continue most naturally. */
  #hasten(needed: number): void {
    if (this.#due < DUE || this.#wait > 0) return
    const ahead = this.#ahead
    if (!this.ready(MOST_SKIP + Math.max(WINDOW, needed))) {
      if (this.#due > OVERDUE) this.#due = OVERDUE
      return
    }
    findPitchPeriod(ahead.pcm, ahead.start, WINDOW, LEAST_SKIP, MOST_SKIP, this.#found)
    const { after, correlation } = this.#found
    if (correlation < (ALIKE * (OVERDUE - this.#due)) / (OVERDUE - DUE)) {
      this.#wait = 2 * BLOCK
      return
    }
    ahead.leaveOut(after, WINDOW, correlation)
    this.#due -= after
    this.#hastened += after
  }
}
