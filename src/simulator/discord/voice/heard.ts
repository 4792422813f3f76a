import { SAMPLE_RATE } from '../../../transcode/pcm.ts'

/** A listener's buffer: later audio leaves a gap. */
const BUFFER_MS = 200
/** Maximum length that is kept. */
const MOST_MS = 30 * 60_000

/**
 * One sender as heard by a listener, at 16 kHz on the wall clock. The first packet of a stretch plays when it arrives;
 * later packets follow seamlessly as long as none is later than a listener’s buffer of 200 ms. Audio faster than real
 * time queues up. Thirty minutes are kept.
 */
export class Heard {
  readonly #openedAt: number
  #pcm = new Int16Array(SAMPLE_RATE * 10)
  /** The end of the audio so far (samples). */
  #end = 0

  constructor(openedAt: number) {
    this.#openedAt = openedAt
  }

  /**
   * `pcm` arrived at `now`, `missing` samples after the packet before it. `begins`: the packet before it ended a
   * stretch, so that nothing that follows can be late.
   */
  add(pcm: Int16Array, now: number, missing = 0, begins = this.#end === 0): void {
    const arrival = this.#at(now)
    const next = this.#end + missing
    const latest = next + (begins ? 0 : (BUFFER_MS * SAMPLE_RATE) / 1000)
    const from = arrival <= latest ? next : arrival
    const to = from + pcm.length
    if (to > (MOST_MS * SAMPLE_RATE) / 1000) return
    if (to > this.#pcm.length) this.#grow(to)
    this.#pcm.set(pcm, from)
    this.#end = to
  }

  /** A copy of everything from the opening until `now`, or until the end of what is queued. */
  until(now: number): Int16Array {
    const length = Math.max(this.#end, this.#at(now))
    const copy = new Int16Array(length)
    copy.set(this.#pcm.subarray(0, Math.min(length, this.#end)))
    return copy
  }

  #at(now: number): number {
    return Math.max(0, Math.round(((now - this.#openedAt) * SAMPLE_RATE) / 1000))
  }

  #grow(least: number): void {
    const grown = new Int16Array(Math.max(least, this.#pcm.length * 2))
    grown.set(this.#pcm.subarray(0, this.#end))
    this.#pcm = grown
  }
}
