import { SAMPLE_RATE } from './pcm.ts'

/** Length of a block, over which power is averaged (samples): 10 ms. */
export const BLOCK_SAMPLES = SAMPLE_RATE / 100
/** Blocks of speech over which loudness is measured: 4 s. */
const WINDOW_BLOCKS = 400
/** Level below the mean at which blocks count as pauses (LU), about 28 below the loudest. */
const GATE_LU = 18
/** Minimum loudness that counts as speech (LUFS). */
const FLOOR_DB = -55
/** Gain of K-weighting at 1 kHz, which the scale of LUFS does not contain (dB). */
const OFFSET_DB = -0.691
const FULL_SCALE = 32_768 ** 2
/** Filter state below this is inaudible. As a denormal number, it would take a hundred times as long to process. */
const NOTHING = 1e-9

/** Converts a mean square of K-weighted samples to LUFS. */
export function lufs(meanSquare: number): number {
  return OFFSET_DB + 10 * Math.log10(meanSquare / FULL_SCALE)
}

/** Converts LUFS to a mean square of K-weighted samples. */
export function meanSquareOf(db: number): number {
  return FULL_SCALE * 10 ** ((db - OFFSET_DB) / 10)
}

const FLOOR = meanSquareOf(FLOOR_DB)
const GATE = 10 ** (-GATE_LU / 10)

// The two filters of ITU-R BS.1770-4, annex 1, at 16 kHz. The recommendation lists coefficients for 48 kHz; these have the
// same response: a shelf of +4 dB above 1.68 kHz for the head, and a high-pass at 38 Hz.
const SHELF = shelf(1_681.974_450_955_533, 3.999_843_853_973_347, 0.707_175_236_955_419_6)
const HIGH_PASS = highPass(38.135_470_876_024_44, 0.500_327_037_323_877_3)

function shelf(hz: number, gainDb: number, q: number) {
  const k = Math.tan((Math.PI * hz) / SAMPLE_RATE)
  const high = 10 ** (gainDb / 20)
  const middle = high ** 0.499_666_774_154_541_6
  const a0 = 1 + k / q + k * k
  return {
    b0: (high + (middle * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (middle * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  }
}

/** Its numerator is 1, −2, 1. */
function highPass(hz: number, q: number) {
  const k = Math.tan((Math.PI * hz) / SAMPLE_RATE)
  const a0 = 1 + k / q + k * k
  return { a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 }
}

/** The frequency weighting of loudness (K-weighting, ITU-R BS.1770) for one stream of 16 kHz. */
export class KWeighting {
  #s1 = 0
  #s2 = 0
  #h1 = 0
  #h2 = 0

  /** Returns the sum of squares of the next samples, `pcm` from `from` to `to`, after weighting. */
  energy(pcm: Int16Array, from: number, to: number): number {
    const { b0, b1, b2, a1, a2 } = SHELF
    const { a1: c1, a2: c2 } = HIGH_PASS
    let s1 = this.#s1
    let s2 = this.#s2
    let h1 = this.#h1
    let h2 = this.#h2
    let sum = 0
    for (let i = from; i < to; i++) {
      const x = pcm[i]!
      const y = b0 * x + s1
      s1 = b1 * x - a1 * y + s2
      s2 = b2 * x - a2 * y
      const z = y + h1
      h1 = h2 - 2 * y - c1 * z
      h2 = y - c2 * z
      sum += z * z
    }
    this.#s1 = Math.abs(s1) < NOTHING ? 0 : s1
    this.#s2 = Math.abs(s2) < NOTHING ? 0 : s2
    this.#h1 = Math.abs(h1) < NOTHING ? 0 : h1
    this.#h2 = Math.abs(h2) < NOTHING ? 0 : h2
    return sum
  }

  reset(): void {
    this.#s1 = this.#s2 = this.#h1 = this.#h2 = 0
  }
}

/**
 * Loudness of speech: the mean power of the last 4 s of blocks with speech, gated, so that pauses and clicks do not
 * distort it. The short-term loudness of ITU-R BS.1770, except that its window holds speech only.
 */
export class SpeechLoudness {
  readonly #powers = new Float32Array(WINDOW_BLOCKS)
  #next = 0
  #count = 0

  /** Returns an independent copy. */
  copy(): SpeechLoudness {
    const copy = new SpeechLoudness()
    copy.#powers.set(this.#powers)
    copy.#next = this.#next
    copy.#count = this.#count
    return copy
  }

  /** Counts one block of `meanSquare`, after K-weighting (sample units, squared), if it can be speech. */
  add(meanSquare: number): void {
    if (!(meanSquare > FLOOR)) return
    this.#powers[this.#next] = meanSquare
    this.#next = (this.#next + 1) % WINDOW_BLOCKS
    if (this.#count < WINDOW_BLOCKS) this.#count++
  }

  /** Mean square of the speech in the window; 0 before any block was counted. */
  get power(): number {
    return this.#mean(this.#mean(0) * GATE)
  }

  /** Loudness of the speech (LUFS); -Infinity before any block was counted. */
  get db(): number {
    return lufs(this.power)
  }

  /** Reduces the weight of earlier blocks to that of `blocks` blocks, so that new ones count more. */
  fade(blocks: number): void {
    if (this.#count <= blocks) return
    const power = this.power
    this.#next = blocks
    this.#count = blocks
    this.#powers.fill(power, 0, blocks)
  }

  /** Mean of the blocks above `least`. */
  #mean(least: number): number {
    let blocks = 0
    let sum = 0
    for (let n = 0; n < this.#count; n++) {
      const power = this.#powers[n]!
      if (power < least) continue
      blocks++
      sum += power
    }
    return blocks > 0 ? sum / blocks : 0
  }
}

/** Rate at which a level is followed (dB/s), and the increase per dB of error beyond 2 dB. */
const SLOW_DB = 6
const HASTE_DB = 10
const FAIR_DB = 2

/** Returns `db` moved toward `goalDb` for `ms`: slowly, so that nothing pumps, and faster only while it is clearly wrong. */
export function approach(db: number, goalDb: number, ms: number): number {
  const wrong = goalDb - db
  const most = ((SLOW_DB + HASTE_DB * Math.max(0, Math.abs(wrong) - FAIR_DB)) * ms) / 1_000
  return db + Math.min(most, Math.max(-most, wrong))
}
