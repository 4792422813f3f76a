import { SAMPLE_RATE } from '../pcm.ts'
import { OUTPUTS, outputs, SAMPLES, samples } from './fir.ts'
import { type Polyphase, polyphase } from './polyphase-filter.ts'

/** Supported sample rates (Hz): those of telephony, MPEG audio layer III, Opus, studios and sound cards. */
export const RATES: readonly number[] = [
  ...[8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  ...[64_000, 88_200, 96_000, 176_400, 192_000],
]

/** Converts a stream of mono PCM from one rate to another. */
export interface Resampler {
  readonly from: number
  readonly to: number
  /** Delay of the output (ms): half the filter's length. 0 between equal rates. */
  readonly delayMs: number
  /**
   * Returns all output available for `pcm`: after `n` samples in total, exactly `ceil(n * to / from)` have been output.
   * The result is a view into a buffer of the resampler (between equal rates: `pcm` itself), valid until the next call;
   * `pcm` is not kept.
   */
  process(pcm: Int16Array): Int16Array
  /** Ends the stream: returns the delayed rest, `delayMs` of it, and resets the resampler. */
  flush(): Int16Array
  /** Resets the stream. */
  reset(): void
}

const NOTHING = new Int16Array(0)

/**
 * Creates a resampler between 16 kHz and any of {@link RATES}, or from any of them to 8 kHz. Throws RangeError for any
 * other pair.
 */
export function createResampler(from: number, to: number): Resampler {
  const allowed =
    RATES.includes(from) && RATES.includes(to) && (from === SAMPLE_RATE || to === SAMPLE_RATE || to === 8000)
  if (!allowed)
    throw new RangeError(
      `cannot resample ${from} to ${to} Hz: one side must be ${SAMPLE_RATE} (or the second 8000), the other one of ${RATES.join(', ')}`,
    )
  return from === to ? passThrough(from) : new PolyphaseResampler(from, to)
}

function passThrough(rate: number): Resampler {
  return { from: rate, to: rate, delayMs: 0, process: pcm => pcm, flush: () => NOTHING, reset() {} }
}

/** Maximum length of a block that is filtered at once (ms), unless the shared memory limits it. */
const BLOCK_MS = 40

/** Feeds the filter blocks of a bounded length, and keeps its history and output. */
class PolyphaseResampler implements Resampler {
  readonly from: number
  readonly to: number
  readonly delayMs: number
  readonly #filter: Polyphase
  /** Maximum block length in samples. */
  readonly #longest: number
  /** Samples before the next block that its first outputs need. */
  readonly #history: Int16Array
  /**
   * Position of the next output, in steps of 1 / up of a sample from the next input. Never rounded, so it never drifts.
   */
  #position = 0
  #out = new Int16Array(0)
  #view: Int16Array = NOTHING

  constructor(from: number, to: number) {
    this.from = from
    this.to = to
    this.#filter = polyphase(from, to)
    this.#longest = Math.min(
      Math.floor((from * BLOCK_MS) / 1000),
      // A few samples more are read than used.
      SAMPLES - this.#filter.before - 8,
      Math.floor(((OUTPUTS - 1) * from) / to),
    )
    this.#history = new Int16Array(this.#filter.before)
    this.delayMs = (this.#filter.delay / to) * 1000
  }

  process(pcm: Int16Array): Int16Array {
    const room = Math.ceil((pcm.length * this.to) / this.from) + 1
    if (this.#out.length < room) this.#out = new Int16Array(room)
    const longest = this.#longest
    let end = 0
    if (pcm.length <= longest) end = this.#step(pcm, 0)
    else
      for (let at = 0; at < pcm.length; at += longest) end = this.#step(pcm.subarray(at, at + longest), end)
    // Calls of equal length, the usual case, share one view.
    if (this.#view.length !== end || this.#view.buffer !== this.#out.buffer)
      this.#view = this.#out.subarray(0, end)
    return this.#view
  }

  flush(): Int16Array {
    const { delay } = this.#filter
    const view = this.process(new Int16Array(Math.ceil((delay * this.from) / this.to)))
    this.reset()
    return view.subarray(0, delay)
  }

  reset(): void {
    this.#position = 0
    this.#history.fill(0)
  }

  /** Writes the output of `pcm`, one block, into `#out` from `start` on; returns its end. */
  #step(pcm: Int16Array, start: number): number {
    const { up, down, before } = this.#filter
    const history = this.#history
    const count = pcm.length
    samples.set(history)
    samples.set(pcm, before)
    const first = this.#position
    const next = this.#filter.run(first, count)
    const made = (next - first) / down
    this.#out.set(outputs(made), start)
    for (let i = 0; i < before; i++) history[i] = samples[count + i]!
    this.#position = next - count * up
    return start + made
  }
}
