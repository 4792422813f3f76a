/** Delays are compared by their minimum over this time, which jitter and stalls hardly change (ms). */
const WINDOW_MS = 10_000
/** Maximum drift that is corrected; crystals have 100 ppm at most, and both ends have one. */
const MAX_RATE = 500e-6
/**
 * Difference that is left uncorrected (ms). Of an exact clock, the shortest delays vary by a few ms on a busy machine, and
 * every sample removed for that would delay its 20 ms frame until the next message.
 */
const TOLERATED_MS = 10
/** The rate is measured over this number of windows (5 minutes), so that noise of a few ms hardly matters. */
const RATE_WINDOWS = 30

/**
 * Measures how the carrier’s clock drifts from ours, by the position of its audio and the time of its arrival. A change of
 * delay that is faster than any drift, for example of a network route, is not counted.
 */
export class ClockDrift {
  /** Time by which our clock has advanced more than the carrier’s since the start (ms). */
  offsetMs = 0
  /** Rate at which `offsetMs` grows: above 0, the carrier’s clock is slow. 0 while the offset is tolerated. */
  rate = 0
  #lowest = Number.POSITIVE_INFINITY
  #before = Number.NaN
  #windowEnd = Number.NaN
  /** `offsetMs` at the end of each of the last windows, in a ring. */
  readonly #offsets = new Float64Array(RATE_WINDOWS)
  #windows = 0

  /** Audio to insert, or below 0, to remove (ms). */
  get correctionMs(): number {
    const { offsetMs } = this
    return offsetMs - Math.max(-TOLERATED_MS, Math.min(TOLERATED_MS, offsetMs))
  }

  /** Audio up to `positionMs` of the carrier’s clock arrived at `now` of ours (ms). */
  observe(positionMs: number, now: number): void {
    const delay = now - positionMs
    if (delay < this.#lowest) this.#lowest = delay
    if (Number.isNaN(this.#windowEnd)) this.#windowEnd = now + WINDOW_MS
    else if (now >= this.#windowEnd) this.#close(now)
  }

  #close(now: number): void {
    const passedMs = now - this.#windowEnd + WINDOW_MS
    const change = this.#lowest - this.#before
    if (Math.abs(change) <= passedMs * MAX_RATE) this.offsetMs += change
    this.#before = this.#lowest
    this.#lowest = Number.POSITIVE_INFINITY
    this.#windowEnd = now + WINDOW_MS
    const slot = this.#windows % RATE_WINDOWS
    const spanned = Math.min(this.#windows, RATE_WINDOWS)
    if (spanned > 0) {
      const oldest = this.#windows >= RATE_WINDOWS ? this.#offsets[slot]! : this.#offsets[0]!
      const rate = this.correctionMs === 0 ? 0 : (this.offsetMs - oldest) / (spanned * WINDOW_MS)
      this.rate = Math.max(-MAX_RATE, Math.min(MAX_RATE, rate))
    }
    this.#offsets[slot] = this.offsetMs
    this.#windows++
  }
}

/** Fewest samples between two corrections: 625 ppm, above any drift, and inaudible. */
const MIN_BETWEEN = 1_600
// Shared by all legs: valid until the next call of `correct`.
let scratch = new Int16Array(2_048)

/**
 * Inserts or removes single samples, each by stretching the piece of audio around it, so that audio of one clock lasts as
 * long on another. Without a correction the audio passes unchanged and without a copy.
 */
export class SampleCorrector {
  /** Samples inserted (above 0) or removed so far. */
  corrected = 0
  readonly #shortest: number
  #since = MIN_BETWEEN

  /** Pieces shorter than `shortest` samples are not shortened. */
  constructor(shortest = 2) {
    this.#shortest = shortest
  }

  /** Returns `pcm`, with one sample more or less if `target`, the samples to insert in total, is that far away. */
  correct(pcm: Int16Array, target: number): Int16Array {
    this.#since += pcm.length
    const missing = target - this.corrected
    if (this.#since < MIN_BETWEEN || (missing < 1 && missing > -1) || pcm.length < 2) return pcm
    const change = missing > 0 ? 1 : -1
    if (change < 0 && pcm.length < this.#shortest) return pcm
    this.corrected += change
    this.#since = 0
    return stretched(pcm, pcm.length + change)
  }
}

/** Linear interpolation to `length` samples; the first and the last one stay. */
function stretched(pcm: Int16Array, length: number): Int16Array {
  if (scratch.length < length) scratch = new Int16Array(length)
  const step = (pcm.length - 1) / (length - 1)
  const last = pcm.length - 1
  for (let at = 0; at < length; at++) {
    const position = at * step
    const left = Math.min(last, Math.floor(position))
    const right = Math.min(last, left + 1)
    scratch[at] = Math.round(pcm[left]! + (pcm[right]! - pcm[left]!) * (position - left))
  }
  return scratch.subarray(0, length)
}
