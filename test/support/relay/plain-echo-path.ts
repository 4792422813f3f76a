import type { EchoReference } from '../../../src/core/playout/echo-reference.ts'
import type { ReceivedLevels } from '../../../src/core/room/echo-path.ts'
import { BANDS, echoModule, UNITS_PER_DB } from '../../../src/transcode/echo/echo-module.ts'

const EARLIEST = -2
const DELAYS = 53
const SHAPE_SLOTS = 20
const SILENCE = -90 * UNITS_PER_DB
const LEAST = -66 * UNITS_PER_DB
const NOTHING = -75 * UNITS_PER_DB
const MARGIN = 7 * UNITS_PER_DB
const PEAK = 10 * UNITS_PER_DB
const PROVEN = 40
const STEADY = 160
const WEIGHTS = Array.from({ length: BANDS }, (_, band) => Math.min(1, ((200 + band * 140) / 1_500) ** 1.2))

/** Levels of one slot: as played, and with reverberation. */
interface Played {
  readonly levels: number[]
  readonly lasting: number[]
}

/** What an `EchoPath` computes, one band after another: the counterpart of the vectors of `assembly/echo-path.ts`. */
export class PlainEchoPath {
  readonly #reference: EchoReference
  readonly #received: ReceivedLevels
  readonly #played = new Map<number, Played>()
  readonly #gains: number[][]
  readonly #known = new Array<number>(DELAYS).fill(0)
  #shift = 0

  constructor(reference: EchoReference, received: ReceivedLevels) {
    this.#reference = reference
    this.#received = received
    const strongest = reference.strongestDb * UNITS_PER_DB
    this.#gains = Array.from({ length: DELAYS }, () => new Array<number>(BANDS).fill(strongest))
  }

  /** Takes the slot that has become known with frame `number`, received in `slot`. */
  follow(number: number, slot: number): void {
    this.#shift = slot - number
    for (let at = slot - EARLIEST - 5; at <= slot - EARLIEST; at++) {
      const levels = rowAt(this.#reference.levelsOf(at))
      const before = this.#playedIn(at - 1).lasting
      const lasting = levels.map((level, band) => Math.max(level, before[band]! - 2 * UNITS_PER_DB, SILENCE))
      this.#played.set(at, { levels, lasting })
    }
  }

  learn(number: number, alone: boolean): void {
    const heard = rowAt(this.#received.levelsOf(number))
    for (let delay = 0; delay < DELAYS; delay++) {
      const { levels, lasting } = this.#playedAfter(number, delay)
      if (Math.max(...levels) < LEAST) continue
      const known = this.#known[delay]!
      if ((number + delay) % (known < PROVEN ? 1 : known < STEADY ? 2 : 4) !== 0) continue
      let bands = 0
      levels.forEach((level, band) => {
        if (level < LEAST || level < lasting[band]! - UNITS_PER_DB / 2) return
        bands++
        const off = heard[band]! - level - this.#gains[delay]![band]!
        if (off < 0) this.#gains[delay]![band]! += 0.15 * off
        else if (alone) this.#gains[delay]![band]! += Math.min(UNITS_PER_DB / 2, 0.05 * off)
      })
      if (known < STEADY) this.#known[delay] = known + bands / BANDS
    }
  }

  /** Share of the power of frame `number` that cannot be echo (0 to 1). */
  foreign(number: number): number {
    const levels = rowAt(this.#received.levelsOf(number))
    const from = this.#received.powersOf(number) / 4
    const powers = WEIGHTS.map((weight, band) => weight * echoModule().f32[from + band]!)
    const expected = new Array<number>(BANDS).fill(SILENCE)
    for (let delay = 0; delay < DELAYS; delay++) {
      if (this.#known[delay]! < PROVEN) continue
      this.#echo(number, delay).forEach((echo, band) => {
        expected[band] = Math.max(expected[band]!, echo)
      })
    }
    const over = levels.map((level, band) =>
      level > NOTHING ? Math.max(0, level - expected[band]! - MARGIN) : 0,
    )
    let least = unexplained(over, powers)
    for (let delay = 0; delay < DELAYS; delay++) {
      if (this.#known[delay]! >= PROVEN) continue
      const echo = this.#echo(number, delay)
      const excess = over.map((most, band) =>
        Math.max(0, Math.min(most, levels[band]! - echo[band]! - MARGIN)),
      )
      least = Math.min(least, unexplained(excess, powers))
    }
    return least / (powers.reduce((sum, power) => sum + power, 0) + 1e-12)
  }

  reshaped(number: number): boolean {
    const spreads = Array.from({ length: DELAYS }, (_, delay) => this.#spread(number, delay))
    const best = Math.min(...spreads)
    if (best >= 5 * UNITS_PER_DB) return false
    this.#relearn(number, spreads.indexOf(best))
    return true
  }

  #echo(number: number, delay: number): number[] {
    const { lasting } = this.#playedAfter(number, delay)
    return lasting.map((level, band) => level + this.#gains[delay]![band]!)
  }

  /** The pairs of played and received levels of `band` in the compared slots. */
  #pairs(number: number, delay: number, band: number): { played: number; gain: number }[] {
    return Array.from({ length: SHAPE_SLOTS }, (_, n) => {
      const played = this.#playedAfter(number - n, delay).levels[band]!
      return { played, gain: rowAt(this.#received.levelsOf(number - n))[band]! - played }
    }).filter(({ played }) => played >= LEAST)
  }

  #spread(number: number, delay: number): number {
    const sounded = Array.from({ length: SHAPE_SLOTS }, (_, n) =>
      Math.max(...this.#playedAfter(number - n, delay).levels),
    ).filter(peak => peak >= LEAST).length
    if (sounded < 8) return Number.POSITIVE_INFINITY
    const compared = Array.from({ length: Math.ceil(BANDS / 2) }, (_, n) => this.#pairs(number, delay, 2 * n))
    const bands = compared.filter(pairs => pairs.length >= 5)
    const cells = bands.flat().length
    const spread = bands.reduce((sum, pairs) => sum + squaresAround(pairs.map(({ gain }) => gain)), 0)
    const contrast = bands.reduce((sum, pairs) => sum + squaresAround(pairs.map(({ played }) => played)), 0)
    const gains = bands.flat().reduce((sum, { gain }) => sum + gain, 0)
    const repeats = gains >= cells * -3 * UNITS_PER_DB
    const steady = contrast < 2 * spread || contrast < cells * (3 * UNITS_PER_DB) ** 2
    return repeats || steady || cells < 92 ? Number.POSITIVE_INFINITY : Math.sqrt(spread / cells)
  }

  #relearn(number: number, delay: number): void {
    for (let band = 0; band < BANDS; band++) {
      const gains = this.#pairs(number, delay, band).map(({ gain }) => gain)
      if (gains.length <= 2) continue
      const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length
      this.#gains[delay]![band] = Math.max(this.#gains[delay]![band]!, mean)
    }
  }

  #playedAfter(number: number, delay: number): Played {
    return this.#playedIn(number + this.#shift - delay - EARLIEST)
  }

  #playedIn(slot: number): Played {
    return this.#played.get(slot) ?? { levels: rowAt(0), lasting: rowAt(0) }
  }
}

/** The levels at `address` of the module's memory; silence at 0. */
function rowAt(address: number): number[] {
  if (address === 0) return new Array<number>(BANDS).fill(SILENCE)
  return Array.from({ length: BANDS }, (_, band) => echoModule().i16[address / 2 + band]!)
}

/** Power of the bands with an excess; a single one needs a larger excess. */
function unexplained(excess: readonly number[], powers: readonly number[]): number {
  const counted = excess.map((over, band) => (over > 0 ? powers[band]! : 0))
  const sum = counted.reduce((all, power) => all + power, 0)
  const most = Math.max(...counted)
  const least = most === 0 ? 0 : excess[counted.indexOf(most)]!
  return least >= PEAK ? sum : sum - most * (1 - least / PEAK)
}

function squaresAround(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}
