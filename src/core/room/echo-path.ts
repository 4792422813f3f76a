import { BANDS, SILENCE, UNITS_PER_DB } from '../../transcode/band-levels.ts'
import type { EchoReference } from '../playout/echo-reference.ts'

/** Range of echo delays (slots of 20 ms). It starts below 0, because our estimate of the playback time can be late. */
const EARLIEST = -2
const LATEST = 50
const DELAYS = LATEST - EARLIEST + 1
/** Slots kept of played and of received audio: at least the longest delay and the slots over which shapes are compared. */
const PLAYED = 128
const HEARD = 32
/** Time after the last played sound in which its echo is possible (slots: 1.2 s). */
export const AFTER = 60
/** A row of played levels: as played, and with reverberation. */
const ROW = 2 * BANDS
/** Decay of room reverberation (units per slot): 2 dB, which reaches −60 dB after about half a second. */
const DECAY = 2 * UNITS_PER_DB
/** Excess of the reverberation over the played level from which that level does not show the gain (units). */
const REVERBERANT = 0.5 * UNITS_PER_DB
/** Strongest echo gain assumed before any learning (units). */
const STRONGEST = -3 * UNITS_PER_DB
/** Played level below which a band is not used for learning (units, −66 dBFS). */
const LEAST = -66 * UNITS_PER_DB
/** Rates at which a gain falls and rises towards the measured value (share of the difference), and maximum rise (units). */
const FALL = 0.15
const RISE = 0.05
const MOST_RISE = 0.5 * UNITS_PER_DB
/** Amount of audio after which the gains of a delay count as known (slots, all bands together). */
const PROVEN = 40
/** Amount after which they hardly change (slots). */
const STEADY = 160
/** Tolerance above the expected echo, extra tolerance for a single band, and level treated as silence (units). */
const MARGIN = 7 * UNITS_PER_DB
const PEAK = 10 * UNITS_PER_DB
const NOTHING = -75 * UNITS_PER_DB
/** Number of slots over which shapes are compared, and the share of slots and bands that must contain played audio. */
export const SHAPE_SLOTS = 20
const SHAPE_SHARE = 0.4
/** Maximum number of compared levels: every second band. */
const MOST_CELLS = SHAPE_SLOTS * Math.ceil(BANDS / 2)
/** An echo differs from the played audio by a nearly constant gain: maximum standard deviation (units). */
const SHAPE = 5 * UNITS_PER_DB
/**
 * … and minimum ratio of the variance of the played audio to the variance of that gain. The gain between two steady sounds
 * is always constant, so they prove nothing.
 */
const SHAPE_CONTRAST = 2
/** Minimum variance of played audio for it to have a shape (units²). */
const LEAST_CONTRAST = (3 * UNITS_PER_DB) ** 2

/** Weights per band: high bands carry the words, low bands most of the power. */
const WEIGHTS = Float64Array.from({ length: BANDS }, (_, band) =>
  Math.min(1, ((200 + band * 140) / 1_500) ** 1.2),
)

// Buffers shared by all paths: a module has one thread, and each slot is completed before the next.
const expected = new Int16Array(BANDS)
const powers = new Float64Array(BANDS)
/** Echo of silence. */
const NONE = new Int16Array(BANDS).fill(SILENCE)
const sounding = new Int16Array(BANDS)
/** Level of each band above the loudest echo through known delays (units). */
const over = new Int32Array(BANDS)
// For one delay: the played and received slots to compare, by index of their first band.
const playedAt = new Int32Array(SHAPE_SLOTS)
const heardAt = new Int32Array(SHAPE_SLOTS)

/** Returns the share of the power in frame `number` that cannot be echo of any of `paths` (0 to 1). */
export function foreign(
  paths: readonly EchoPath[],
  { levels, powers: received }: ReceivedLevels,
  at: number,
  number: number,
): number {
  expected.fill(SILENCE)
  for (let n = 0; n < paths.length; n++) paths[n]!.expect(number)
  let all = 1e-12
  for (let band = 0; band < BANDS; band++) {
    const level = levels[at + band]!
    const power = WEIGHTS[band]! * received[at + band]!
    all += power
    powers[band] = power
    sounding[band] = level
    // Excess over the loudest possible echo; 0 if the band can be echo.
    over[band] = level > NOTHING ? Math.max(0, level - expected[band]! - MARGIN) : 0
  }
  let least = unexplained(NONE, 0, NONE, 0)
  for (let n = 0; n < paths.length && least > 0; n++) least = paths[n]!.least(number, least)
  return least / all
}

/**
 * Returns the power that remains unexplained after adding one more delay, with `gains` (starting at `at`) applied to the
 * levels `played` (starting at `from`). A single band needs a larger excess, because room resonances are narrower than a
 * band and a voice can coincide with one.
 */
function unexplained(gains: Int16Array, at: number, played: Int16Array, from: number): number {
  let sum = 0
  let most = 0
  let excessOfMost = 0
  for (let band = 0; band < BANDS; band++) {
    let excess = over[band]!
    if (excess === 0) continue
    const more = sounding[band]! - gains[at + band]! - played[from + band]! - MARGIN
    if (more <= 0) continue
    if (more < excess) excess = more
    const power = powers[band]!
    sum += power
    if (power <= most) continue
    most = power
    excessOfMost = excess
  }
  return excessOfMost >= PEAK ? sum : sum - most * (1 - excessOfMost / PEAK)
}

/** Band levels, and powers, of the latest 32 frames from a participant's microphone. */
export class ReceivedLevels {
  readonly levels = new Int16Array(HEARD * BANDS)
  readonly powers = new Float32Array(HEARD * BANDS)

  /** Returns the index of the first level of frame `number`. */
  place(number: number): number {
    return (number % HEARD) * BANDS
  }
}

/**
 * The acoustic path from a participant's loudspeaker back into their microphone, learned from band levels only. Each delay
 * has a gain per band: an upper bound of the echo, because other sounds only add to it. A gain that is too high falls
 * quickly when less audio is received than expected, so without echo none is expected; a gain that is too low rises
 * slowly. No waveform is needed, so the method tolerates codecs, jitter and room acoustics.
 */
export class EchoPath {
  /** One row for each slot: what is needed together lies together. */
  readonly #played = new Int16Array(PLAYED * ROW).fill(SILENCE)
  /** The loudest band of each slot. */
  readonly #peaks = new Int16Array(PLAYED).fill(SILENCE)
  readonly #reference: EchoReference
  readonly #heard: Int16Array
  readonly #received: ReceivedLevels
  readonly #gains: Int16Array
  /** Amount of audio learned for each delay (slots). */
  readonly #known = new Float32Array(DELAYS)
  #head = -1
  /** The last slot of the reference that was complete, and its number of cuts. */
  #newest = Number.NEGATIVE_INFINITY
  #cuts = 0
  /** Slot that corresponds to frame 0. */
  #shift = 0

  constructor(reference: EchoReference, received: ReceivedLevels) {
    this.#reference = reference
    this.#received = received
    this.#heard = received.levels
    this.#gains = new Int16Array(DELAYS * BANDS).fill(reference.strongestDb * UNITS_PER_DB)
  }

  /** Discards everything learned. */
  reset(): void {
    this.#gains.fill(this.#reference.strongestDb * UNITS_PER_DB)
    this.#known.fill(0)
  }

  /** Updates the played levels for frame `number`, received in `slot`, including late additions to the reference. */
  follow(number: number, slot: number): void {
    const rows = this.#played
    this.#shift = slot - number
    const last = slot - EARLIEST
    for (let at = Math.max(this.#firstChanged(), last - PLAYED + 1, 0); at <= last; at++) {
      const place = at % PLAYED
      const to = place * ROW
      const before = ((at + PLAYED - 1) % PLAYED) * ROW + BANDS
      if (at > this.#head) rows.fill(SILENCE, to, to + BANDS)
      this.#reference.raise(at, rows, to)
      let peak = SILENCE
      for (let band = 0; band < BANDS; band++) {
        const level = rows[to + band]!
        if (level > peak) peak = level
        rows[to + BANDS + band] = Math.max(level, rows[before + band]! - DECAY, SILENCE)
      }
      this.#peaks[place] = peak
    }
    if (last > this.#head) this.#head = last
  }

  /** Returns the first slot to update: usually a new one, because playback is known before it can be received. */
  #firstChanged(): number {
    const { newest, cuts } = this.#reference
    const first = cuts === this.#cuts ? Math.min(this.#newest, this.#head) + 1 : 0
    this.#newest = newest
    this.#cuts = cuts
    return Math.max(first, this.#head - 5)
  }

  /** Learns from frame `number`. Gains rise only if `alone`, when no speech is detected. */
  learn(number: number, alone: boolean): void {
    const heard = this.#received.place(number)
    for (let delay = 0; delay < DELAYS; delay++) {
      const place = this.#placeOf(number, delay)
      if (this.#peaks[place]! < LEAST) continue
      // Known gains change slowly: they need not be compared in every slot.
      const known = this.#known[delay]!
      const every = known < PROVEN ? 1 : known < STEADY ? 2 : 4
      if ((number + delay) % every !== 0) continue
      const bands = this.#learn(heard, place * ROW, delay * BANDS, alone)
      if (known < STEADY) this.#known[delay] = known + bands / BANDS
    }
  }

  /** Raises `expected` to the echo through known delays in frame `number`. */
  expect(number: number): void {
    const gains = this.#gains
    const rows = this.#played
    for (let delay = 0; delay < DELAYS; delay++) {
      if (this.#known[delay]! < PROVEN) continue
      const from = delay * BANDS
      const lasting = this.#placeOf(number, delay) * ROW + BANDS
      for (let band = 0; band < BANDS; band++) {
        const level = gains[from + band]! + rows[lasting + band]!
        if (level > expected[band]!) expected[band] = level
      }
    }
  }

  /** Returns the minimum power, at most `most`, that remains unexplained after adding one delay that is not yet known. */
  least(number: number, most: number): number {
    let least = most
    for (let delay = 0; delay < DELAYS && least > 0; delay++) {
      if (this.#known[delay]! >= PROVEN) continue
      const lasting = this.#placeOf(number, delay) * ROW + BANDS
      const power = unexplained(this.#gains, delay * BANDS, this.#played, lasting)
      if (power < least) least = power
    }
    return least
  }

  /**
   * Returns true if the frames up to `number` have the shape of the played audio although they are louder than expected.
   * The path has changed in that case and is learned again.
   */
  reshaped(number: number): boolean {
    let best = SHAPE
    let found = -1
    for (let delay = 0; delay < DELAYS; delay++) {
      if (!this.#sounded(number, delay)) continue
      const spread = this.#spread(number, delay, best)
      if (spread >= best) continue
      best = spread
      found = delay
    }
    if (found >= 0) this.#relearn(number, found)
    return found >= 0
  }

  #learn(heardFrom: number, playedFrom: number, gainsFrom: number, alone: boolean): number {
    const rows = this.#played
    const heard = this.#heard
    const gains = this.#gains
    let bands = 0
    for (let band = 0; band < BANDS; band++) {
      const level = rows[playedFrom + band]!
      // Reverberation does not show the gain.
      if (level < LEAST || level < rows[playedFrom + BANDS + band]! - REVERBERANT) continue
      bands++
      const gain = gains[gainsFrom + band]!
      const off = heard[heardFrom + band]! - level - gain
      if (off < 0) gains[gainsFrom + band] = gain + FALL * off
      else if (alone) gains[gainsFrom + band] = gain + Math.min(MOST_RISE, RISE * off)
    }
    return bands
  }

  /** Returns true if enough of the compared slots contain audio played at `delay`. */
  #sounded(number: number, delay: number): boolean {
    let slots = 0
    for (let n = 0; n < SHAPE_SLOTS; n++) if (this.#peaks[this.#placeOf(number - n, delay)]! >= LEAST) slots++
    return slots >= SHAPE_SLOTS * SHAPE_SHARE
  }

  /** Returns the standard deviation of the gain at `delay` over slots and every second band (units), if it is below `most`. */
  #spread(number: number, delay: number, most: number): number {
    const all = this.#played
    const heard = this.#heard
    for (let n = 0; n < SHAPE_SLOTS; n++) {
      playedAt[n] = this.#placeOf(number - n, delay) * ROW
      heardAt[n] = this.#received.place(number - n)
    }
    let spread = 0
    let contrast = 0
    let gains = 0
    let cells = 0
    for (let band = 0; band < BANDS; band += 2) {
      let count = 0
      let sum = 0
      let squares = 0
      let sumPlayed = 0
      let squaresPlayed = 0
      for (let n = 0; n < SHAPE_SLOTS; n++) {
        const level = all[playedAt[n]! + band]!
        if (level < LEAST) continue
        const gain = heard[heardAt[n]! + band]! - level
        sum += gain
        squares += gain * gain
        sumPlayed += level
        squaresPlayed += level * level
        count++
      }
      if (count < 5) continue
      spread += squares - (sum * sum) / count
      // The sum only grows, and the number of cells is limited: a few bands rule out most delays.
      if (spread >= most * most * MOST_CELLS) return Number.POSITIVE_INFINITY
      contrast += squaresPlayed - (sumPlayed * sumPlayed) / count
      gains += sum
      cells += count
    }
    // A person who repeats the words is as loud as the playback; an echo is not.
    if (gains >= cells * STRONGEST) return Number.POSITIVE_INFINITY
    if (contrast < spread * SHAPE_CONTRAST || contrast < cells * LEAST_CONTRAST)
      return Number.POSITIVE_INFINITY
    return cells < SHAPE_SLOTS * (BANDS / 2) * SHAPE_SHARE
      ? Number.POSITIVE_INFINITY
      : Math.sqrt(spread / cells)
  }

  #relearn(number: number, delay: number): void {
    for (let band = 0; band < BANDS; band++) {
      let count = 0
      let sum = 0
      for (let n = 0; n < SHAPE_SLOTS; n++) {
        const played = this.#played[this.#placeOf(number - n, delay) * ROW + band]!
        if (played < LEAST) continue
        sum += this.#heard[this.#received.place(number - n) + band]! - played
        count++
      }
      const at = delay * BANDS + band
      if (count > 2) this.#gains[at] = Math.max(this.#gains[at]!, sum / count)
    }
  }

  /** Returns the index of the played slot that is received in frame `number` after `delay` (0 is `EARLIEST`). */
  #placeOf(number: number, delay: number): number {
    return (number + this.#shift - delay - EARLIEST) & (PLAYED - 1)
  }
}
