import { BANDS, SILENCE_DB } from '../transcode/band-levels.ts'
import type { EchoReference } from './echo-reference.ts'

/** An echo comes back so much later than it is played (slots of 20 ms): our idea of when may be a little late. */
const EARLIEST = -2
const LATEST = 50
const DELAYS = LATEST - EARLIEST + 1
/** Slots kept, of what is played and of what comes back. */
const PLAYED = 128
const HEARD = 64
/** After the last sound that was played its echo may still come for so long (slots: 1.2 s). */
export const AFTER = 60
/** How fast a room's reverberation dies away (dB a slot): half a second to −60 dB. */
const DECAY_DB = 2
/** The strongest echo that is thought possible before anything is known (dB). */
const STRONGEST_DB = -3
/** What is played more softly than this in a band teaches nothing (dBFS). */
const LEAST_DB = -66
/** How fast a gain falls where less came back, and how fast it rises (share of the difference; dB at most). */
const FALL = 0.15
const RISE = 0.05
const RISE_MOST_DB = 0.5
/** So many slots of sound have shown what comes back at a delay (slots, all bands together). */
const PROVEN = 40
/** An echo may be louder than expected by so much (dB), in a single band by the second more; below the third is nothing. */
const MARGIN_DB = 7
const PEAK_DB = 10
const NOTHING_DB = -75
/** Likeness is looked for over so many slots; this share of all bands must have been played in them. */
export const SHAPE_SLOTS = 20
const SHAPE_SHARE = 0.4
/** An echo differs from what was played by a gain that stays the same within so much (dB, standard deviation). */
const SHAPE_DB = 5
/**
 * … and what was played changes by at least so much more than that gain (variances): of two steady sounds the gain stays the
 * same whatever they are, so that they show nothing.
 */
const SHAPE_CONTRAST = 2
/** What was played must itself change by so much to have a shape (dB², variance). */
const LEAST_CONTRAST = 9

/** What is high carries the words, what is low the loudness. */
const WEIGHTS = Float64Array.from({ length: BANDS }, (_, band) =>
  Math.min(1, ((200 + band * 140) / 1_500) ** 1.2),
)

// A module has one thread, and a slot is done before the next: all paths work in one place.
const expected = new Float32Array(BANDS)
const powers = new Float64Array(BANDS)
/** The echo of nothing. */
const NONE = new Float32Array(BANDS).fill(SILENCE_DB)
const sounding = new Float32Array(BANDS)
/** By how much a band is louder than the echo of what is well known can be (dB). */
const over = new Float64Array(BANDS)

/** How much of what was heard in frame `number` cannot be the echo of any of `paths`, 0 to 1. */
export function foreign(
  paths: readonly EchoPath[],
  { levels }: HeardLevels,
  at: number,
  number: number,
): number {
  expected.fill(SILENCE_DB)
  for (let n = 0; n < paths.length; n++) paths[n]!.expect(number)
  let all = 1e-12
  for (let band = 0; band < BANDS; band++) {
    const level = levels[at + band]!
    const power = WEIGHTS[band]! * 10 ** (0.1 * level)
    all += power
    powers[band] = power
    sounding[band] = level
    // By how much it is louder than an echo can be; 0 where it can be one.
    over[band] = level > NOTHING_DB ? Math.max(0, level - expected[band]! - MARGIN_DB) : 0
  }
  let least = unexplained(NONE, 0, NONE, 0)
  for (let n = 0; n < paths.length && least > 0; n++) least = paths[n]!.least(number, least)
  return least / all
}

/**
 * The power that one more delay leaves unexplained, at which an echo has `gains` (from `at` on) of what was `played` (from
 * `from` on). One band alone must be louder by more: a room's peak is narrower than a band, and a voice may just meet it.
 */
function unexplained(gains: Float32Array, at: number, played: Float32Array, from: number): number {
  let sum = 0
  let most = 0
  let excessOfMost = 0
  for (let band = 0; band < BANDS; band++) {
    let excess = over[band]!
    if (excess === 0) continue
    const more = sounding[band]! - gains[at + band]! - played[from + band]! - MARGIN_DB
    if (more <= 0) continue
    if (more < excess) excess = more
    const power = powers[band]!
    sum += power
    if (power <= most) continue
    most = power
    excessOfMost = excess
  }
  return excessOfMost >= PEAK_DB ? sum : sum - most * (1 - excessOfMost / PEAK_DB)
}

/** Levels of what a party's microphone hears, by frames: the latest 64. */
export class HeardLevels {
  readonly levels = new Float32Array(HEARD * BANDS)

  /** Where those of frame `number` are. */
  place(number: number): number {
    return (number % HEARD) * BANDS
  }
}

/**
 * The way of a sound from a party's loudspeaker back into its microphone, learnt from levels in bands alone. For every
 * delay there is a gain in each band: the most that can be echo, since whatever else is heard only adds to it. A gain
 * that is too high is refuted as soon as something is played and less comes back, so that where there is no echo none is
 * expected; one that is too low rises slowly. This needs no waveform, and so bears codecs, jitter and rooms.
 */
export class EchoPath {
  readonly #played = new Float32Array(PLAYED * BANDS).fill(SILENCE_DB)
  /** The same with reverberation, and the loudest band of each slot. */
  readonly #lasting = new Float32Array(PLAYED * BANDS).fill(SILENCE_DB)
  readonly #peaks = new Float32Array(PLAYED).fill(SILENCE_DB)
  readonly #reference: EchoReference
  readonly #heard: Float32Array
  readonly #hears: HeardLevels
  readonly #gains: Float32Array
  /** How much has been learnt of each delay (slots). */
  readonly #known = new Float32Array(DELAYS)
  #head = -1
  /** What frame 0 would be heard in (slots). */
  #shift = 0

  constructor(reference: EchoReference, heard: HeardLevels) {
    this.#reference = reference
    this.#hears = heard
    this.#heard = heard.levels
    this.#gains = new Float32Array(DELAYS * BANDS).fill(reference.strongestDb)
  }

  /** Nothing is known of the way any more. */
  reset(): void {
    this.#gains.fill(this.#reference.strongestDb)
    this.#known.fill(0)
  }

  /** Frame `number` is heard in `slot`. Takes from the reference what is played until then; what came late is made up for. */
  follow(number: number, slot: number): void {
    this.#shift = slot - number
    const last = slot - EARLIEST
    for (let at = Math.max(this.#head - 5, last - PLAYED + 1, 0); at <= last; at++) {
      const place = at % PLAYED
      const to = place * BANDS
      const before = ((at + PLAYED - 1) % PLAYED) * BANDS
      if (at > this.#head) this.#played.fill(SILENCE_DB, to, to + BANDS)
      this.#reference.raise(at, this.#played, to)
      let peak = SILENCE_DB
      for (let band = 0; band < BANDS; band++) {
        const level = this.#played[to + band]!
        if (level > peak) peak = level
        const rest = this.#lasting[before + band]! - DECAY_DB
        this.#lasting[to + band] = Math.max(level, rest)
      }
      this.#peaks[place] = peak
    }
    if (last > this.#head) this.#head = last
  }

  /** Learns from what was heard in frame `number`. Gains rise only if `alone`: nobody is thought to speak. */
  learn(number: number, alone: boolean): void {
    const heard = this.#hears.place(number)
    for (let delay = 0; delay < DELAYS; delay++) {
      const place = this.#placeOf(number, delay)
      if (this.#peaks[place]! < LEAST_DB) continue
      // What is well known changes slowly: every other slot is enough.
      const proven = this.#known[delay]! >= PROVEN
      if (proven && ((number + delay) & 1) === 1) continue
      const bands = this.#learn(heard, place * BANDS, delay * BANDS, alone)
      if (!proven) this.#known[delay] = this.#known[delay]! + bands / BANDS
    }
  }

  /** Raises `expected` to what is well known to come back in frame `number`. */
  expect(number: number): void {
    for (let delay = 0; delay < DELAYS; delay++) {
      if (this.#known[delay]! < PROVEN) continue
      const played = this.#placeOf(number, delay) * BANDS
      for (let band = 0; band < BANDS; band++) {
        const level = this.#gains[delay * BANDS + band]! + this.#lasting[played + band]!
        if (level > expected[band]!) expected[band] = level
      }
    }
  }

  /** The least power that is left unexplained, up to `most`, if one more delay, of which little is known, explains it. */
  least(number: number, most: number): number {
    let least = most
    for (let delay = 0; delay < DELAYS && least > 0; delay++) {
      if (this.#known[delay]! >= PROVEN) continue
      const played = this.#placeOf(number, delay) * BANDS
      const power = unexplained(this.#gains, delay * BANDS, this.#lasting, played)
      if (power < least) least = power
    }
    return least
  }

  /**
   * Whether what was heard in the frames up to `number` has the shape of what was played, though it is louder than expected:
   * the way has changed. Then it is learnt anew.
   */
  reshaped(number: number): boolean {
    let best = SHAPE_DB
    let found = -1
    for (let delay = 0; delay < DELAYS; delay++) {
      if (!this.#sounded(number, delay)) continue
      const spread = this.#spread(number, delay)
      if (spread >= best) continue
      best = spread
      found = delay
    }
    if (found >= 0) this.#relearn(number, found)
    return found >= 0
  }

  #learn(heard: number, played: number, gains: number, alone: boolean): number {
    let bands = 0
    for (let band = 0; band < BANDS; band++) {
      const level = this.#played[played + band]!
      // Reverberation says nothing about the gain.
      if (level < LEAST_DB || level < this.#lasting[played + band]! - 0.5) continue
      bands++
      const gain = this.#gains[gains + band]!
      const off = this.#heard[heard + band]! - level - gain
      if (off < 0) this.#gains[gains + band] = gain + FALL * off
      else if (alone) this.#gains[gains + band] = gain + Math.min(RISE_MOST_DB, RISE * off)
    }
    return bands
  }

  /** Something was played at `delay` before most of the slots that are looked at. */
  #sounded(number: number, delay: number): boolean {
    let slots = 0
    for (let n = 0; n < SHAPE_SLOTS; n++)
      if (this.#peaks[this.#placeOf(number - n, delay)]! >= LEAST_DB) slots++
    return slots >= SHAPE_SLOTS * SHAPE_SHARE
  }

  /** How much the gain at `delay` differs from slot to slot, in every other band (dB). */
  #spread(number: number, delay: number): number {
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
        const played = this.#played[this.#placeOf(number - n, delay) * BANDS + band]!
        if (played < LEAST_DB) continue
        const gain = this.#heard[this.#hears.place(number - n) + band]! - played
        sum += gain
        squares += gain * gain
        sumPlayed += played
        squaresPlayed += played * played
        count++
      }
      if (count < 5) continue
      spread += squares - (sum * sum) / count
      contrast += squaresPlayed - (sumPlayed * sumPlayed) / count
      gains += sum
      cells += count
    }
    // Whoever says the same again is as loud as it was played; no echo is.
    if (gains >= cells * STRONGEST_DB) return Number.POSITIVE_INFINITY
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
        const played = this.#played[this.#placeOf(number - n, delay) * BANDS + band]!
        if (played < LEAST_DB) continue
        sum += this.#heard[this.#hears.place(number - n) + band]! - played
        count++
      }
      const at = delay * BANDS + band
      if (count > 2) this.#gains[at] = Math.max(this.#gains[at]!, sum / count)
    }
  }

  /** Where what is heard in frame `number` was played, if it took `delay` (counted from the earliest). */
  #placeOf(number: number, delay: number): number {
    return (number + this.#shift - delay - EARLIEST + PLAYED) % PLAYED
  }
}
