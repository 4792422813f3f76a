import { saturate } from './pcm.ts'

/**
 * Level of the noise (RMS of 16-bit samples, −60 dBFS): that of a quiet line. People take total silence on a phone for a dead
 * line, and much louder noise for a bad one (RFC 3389 and ITU-T G.711, appendix II, have the same purpose).
 */
const LEVEL = 32_768 * 10 ** (-60 / 20)
/** Corner of its spectrum, which falls like that of a room, by 6 dB per octave (Hz). */
const CORNER_HZ = 500
/** Length after which it repeats (s): long enough not to be noticed. */
const LOOP_SECONDS = 2

const loops = new Map<number, Int16Array>()
// Shared by all lines: valid until the next call of `add`. Grows to the longest message.
let mixed = new Int16Array(1_280)

/** Adds quiet noise to the audio of one line, so that its pauses are not digital silence. Allocates nothing per frame. */
export class ComfortNoise {
  readonly #loop: Int16Array
  #at = 0

  /** `rate`: sample rate of the line (Hz). */
  constructor(rate: number) {
    this.#loop = loops.get(rate) ?? makeLoop(rate)
    loops.set(rate, this.#loop)
  }

  /** Returns `pcm` with noise; valid until the next call for any line. */
  add(pcm: Int16Array): Int16Array {
    const { length } = pcm
    if (mixed.length < length) mixed = new Int16Array(length)
    const loop = this.#loop
    let at = this.#at
    for (let n = 0; n < length; n++) {
      mixed[n] = saturate(pcm[n]! + loop[at]!)
      if (++at === loop.length) at = 0
    }
    this.#at = at
    return length === mixed.length ? mixed : mixed.subarray(0, length)
  }
}

/** Noise from a generator with a fixed start: it is the same in every process. */
function makeLoop(rate: number): Int16Array {
  const keep = Math.exp((-2 * Math.PI * CORNER_HZ) / rate)
  const noise = new Float64Array(rate * LOOP_SECONDS)
  let state = 1
  let value = 0
  let power = 0
  for (let n = 0; n < noise.length; n++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    value = value * keep + state / 2 ** 31 - 1
    noise[n] = value
    power += value * value
  }
  const gain = LEVEL / Math.sqrt(power / noise.length)
  return Int16Array.from(noise, sample => Math.round(sample * gain))
}
