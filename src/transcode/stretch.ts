import { findRepetition, type Repetition } from './likeness.ts'
import { LookAhead } from './look-ahead.ts'
import { BLOCK, PauseDetector } from './pause.ts'
import { SAMPLE_RATE } from './pcm.ts'

/** The fastest: a quarter more words a minute. */
export const MOST_FACTOR = 1.25

/** Shortest and longest piece left out at once: periods of voices from 67 to 400 Hz (2.5 to 15 ms). */
const LEAST_SKIP = 40
const MOST_SKIP = 240
/** Samples over which the voice before a piece fades into the voice behind it, and by which they are compared. */
const WINDOW = 240
/** Samples due to be left out at which a place for it is looked for, and at which the best place there is must do. */
const DUE = 160
const OVERDUE = 400
/** Samples of what is asked for that are looked after at once: what is ahead of them has to fit, too. */
const MOST_NEEDED = 1_600
/** How alike both sides must be when it is due; less and less until it is overdue. */
const ALIKE = 0.8

/** What stays of a pause on both of its sides: 60 ms behind speech, and 60 ms before it. */
const KEEP = (SAMPLE_RATE * 60) / 1000
/** Fade between the two, and the least that is worth leaving out: 10 and 20 ms. */
const PAUSE_FADE = (SAMPLE_RATE * 10) / 1000
const LEAST_PAUSE = (SAMPLE_RATE * 20) / 1000

/**
 * Speech (linear16, 16 kHz, mono) in less time, at its own pitch: with `trimming` long pauses become short ones, with a
 * `factor` above 1 whole periods of the voice are left out here and there, each where the voice is most like itself a
 * period later (WSOLA). Between those places every sample passes as it is, so a factor of 1 changes nothing and delays
 * nothing, and the factor may change at any time.
 *
 * It pulls from `source` what it needs, 30 ms ahead (100 to 250 with `trimming`, in pauses); what it gets is copied. It
 * never leaves out so much that the frame asked for cannot be filled with what is there.
 */
export class Stretch {
  /** Whether pauses are cut down to 120 ms. */
  trimming = false
  #factor = 1
  readonly #source: () => Int16Array | undefined
  readonly #ahead = new LookAhead()
  readonly #pauses = new PauseDetector()
  readonly #found: Repetition = { after: 0, likeness: 0 }
  /** Samples that should have been left out by now to be as fast as `factor` says. */
  #due = 0
  /** Samples to pass before a place is looked for again. */
  #wait = 0
  /** Samples of the present pause that went out. */
  #quiet = 0
  #trimmed = 0
  #hastened = 0

  /** `source` gives the next samples (2 000 at most), or undefined while there are none. */
  constructor(source: () => Int16Array | undefined) {
    this.#source = source
  }

  get factor(): number {
    return this.#factor
  }

  /** How much faster than spoken, 1 to 1.25. Throws RangeError for anything else. */
  set factor(factor: number) {
    if (!(factor >= 1 && factor <= MOST_FACTOR))
      throw new RangeError(`factor lies between 1 and ${MOST_FACTOR}, got ${factor}`)
    if (factor === 1) this.#due = 0
    this.#factor = factor
  }

  /** Samples taken from the source that wait here. */
  get buffered(): number {
    return this.#ahead.length
  }

  /** Samples of the source, from its beginning, that went out or were left out. */
  get position(): number {
    return this.#ahead.gone
  }

  /** Samples left out of pauses so far. */
  get trimmed(): number {
    return this.#trimmed
  }

  /** Samples left out of speech so far. */
  get hastened(): number {
    return this.#hastened
  }

  /** Pulls until `samples` can be read; false when the source has not got so many now. */
  ready(samples: number): boolean {
    while (this.#ahead.length < samples) if (!this.#pull()) return false
    return true
  }

  /** Fills `out` with the next samples and gives how many: fewer than `out.length` only when the source has no more now. */
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

  /** Drops what waits here. */
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

  /** In a pause that has lasted long enough: leaves out all but the end of it, as far as can be seen. */
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

  /** When it is due: leaves out as many samples as make the voice go on most like it would have. */
  #hasten(needed: number): void {
    if (this.#due < DUE || this.#wait > 0) return
    const ahead = this.#ahead
    if (!this.ready(MOST_SKIP + Math.max(WINDOW, needed))) {
      if (this.#due > OVERDUE) this.#due = OVERDUE
      return
    }
    findRepetition(ahead.pcm, ahead.start, WINDOW, LEAST_SKIP, MOST_SKIP, this.#found)
    const { after, likeness } = this.#found
    if (likeness < (ALIKE * (OVERDUE - this.#due)) / (OVERDUE - DUE)) {
      this.#wait = 2 * BLOCK
      return
    }
    ahead.leaveOut(after, WINDOW, likeness)
    this.#due -= after
    this.#hastened += after
  }
}
