import { HalfBandDown, HalfBandUp } from './half-band.ts'
import type { Kernel } from './kernel.ts'
import { SAMPLE_RATE } from './pcm.ts'
import { Polyphase } from './polyphase.ts'

/** The rates that audio may come in (Hz): those of MPEG audio layer III, telephony and Opus. */
export const RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

/** Turns a stream of mono PCM at one rate into the same at another. */
export interface Resampler {
  readonly from: number
  readonly to: number
  /** By how much the output lags (ms): half the filter's length. 0 between equal rates. */
  readonly delayMs: number
  /**
   * All output that `pcm` allows: after `n` samples in all, exactly `ceil(n * to / from)` have come out. The result is
   * a view into a buffer of the resampler (between equal rates: `pcm` itself), valid until the next call; `pcm` is not kept.
   */
  process(pcm: Int16Array): Int16Array
  /** The end of the stream: what the delay still holds back, `delayMs` of it. Leaves the resampler as new. */
  flush(): Int16Array
  /** Forgets the stream so far. */
  reset(): void
}

const NOTHING = new Int16Array(0)

/**
 * Makes a resampler between 16 kHz and any of {@link RATES}, or from any of them to 8 kHz.
 * Throws RangeError for any other pair.
 */
export function createResampler(from: number, to: number): Resampler {
  const known = (rate: number) => RATES.some(each => each === rate)
  const allowed = known(from) && known(to) && (from === SAMPLE_RATE || to === SAMPLE_RATE || to === 8000)
  if (!allowed)
    throw new RangeError(
      `cannot resample ${from} to ${to} Hz: one side must be ${SAMPLE_RATE} (or the second 8000), the other one of ${RATES.join(', ')}`,
    )
  return from === to ? passThrough(from) : new KernelResampler(from, to)
}

function passThrough(rate: number): Resampler {
  return { from: rate, to: rate, delayMs: 0, process: pcm => pcm, flush: () => NOTHING, reset() {} }
}

function kernelFor(from: number, to: number): Kernel {
  if (from === 8000 && to === 16_000) return new HalfBandUp()
  if (from === 16_000 && to === 8000) return new HalfBandDown()
  return new Polyphase(from, to)
}

/** Keeps the history and the output of a kernel, and feeds it blocks of 20 ms at most. */
class KernelResampler implements Resampler {
  readonly from: number
  readonly to: number
  readonly delayMs: number
  #kernel: Kernel
  #block: number
  #window: Float64Array
  #out: Int16Array
  #view: Int16Array = NOTHING

  constructor(from: number, to: number) {
    this.from = from
    this.to = to
    this.#kernel = kernelFor(from, to)
    this.delayMs = (this.#kernel.delay / to) * 1000
    this.#block = Math.ceil(from / 50)
    this.#window = new Float64Array(this.#kernel.history + this.#block)
    this.#out = new Int16Array(0)
  }

  process(pcm: Int16Array): Int16Array {
    const room = Math.ceil((pcm.length * this.to) / this.from) + 1
    if (this.#out.length < room) this.#out = new Int16Array(room)
    const { history } = this.#kernel
    const window = this.#window
    let made = 0
    for (let at = 0; at < pcm.length; at += this.#block) {
      const count = Math.min(this.#block, pcm.length - at)
      for (let i = 0; i < count; i++) window[history + i] = pcm[at + i]!
      made = this.#kernel.run(window, count, this.#out, made)
      window.copyWithin(0, count, count + history)
    }
    return this.#made(made)
  }

  flush(): Int16Array {
    const tail = Math.ceil(this.#kernel.delay)
    const view = this.process(new Int16Array(Math.ceil((tail * this.from) / this.to)))
    this.reset()
    return view.subarray(0, tail)
  }

  reset(): void {
    this.#kernel.reset()
    this.#window.fill(0)
  }

  /** The first `count` samples made. Calls of one length, the usual case, share one view. */
  #made(count: number): Int16Array {
    if (this.#view.length !== count || this.#view.buffer !== this.#out.buffer)
      this.#view = this.#out.subarray(0, count)
    return this.#view
  }
}
