import { BandLevels, LEVELS_BYTES } from '../../transcode/echo/band-levels.ts'
import { echoModule } from '../../transcode/echo/echo-module.ts'
import { rms } from '../../transcode/level.ts'
import { FRAME_MS } from '../../transcode/pcm.ts'

/** Slots kept: 2.56 s, of which up to one second can be in the future. */
const SLOTS = 128
/** Level below which a frame leaves no intelligible echo (RMS, −64 dBFS). */
const LEAST = 20
/** The slots before the first audible frame. */
const NO_SLOTS = new Float64Array(0)

/**
 * Audio whose echo is possible: played to one participant, or spoken by them in a space shared with others. Stores band
 * levels on a grid of 20 ms; silent frames are skipped. Allocates its memory at the first audible frame: many participants
 * only listen, or wait.
 */
export class EchoReference {
  /** Strongest echo gain assumed before any learning (dB). */
  readonly strongestDb: number
  /** Address of the rows of levels. */
  #levels = 0
  /** Number of the slot in each row. */
  #slots = NO_SLOTS
  #bands: BandLevels | undefined
  #last = Number.NEGATIVE_INFINITY
  #loudUntil = Number.NEGATIVE_INFINITY
  #cuts = 0

  constructor(strongestDb = -3) {
    this.strongestDb = strongestDb
  }

  /** Last audible slot. */
  get loudUntil(): number {
    return this.#loudUntil
  }

  /** The slot added last. Until a cut, only later ones follow. */
  get newest(): number {
    return this.#last
  }

  /** Number of cuts so far. */
  get cuts(): number {
    return this.#cuts
  }

  /** Adds `frame`, played at `atMs` (clock ms). Frames must be in order. */
  add(frame: Int16Array, atMs: number): void {
    let slot = Math.round(atMs / FRAME_MS)
    // Consecutive frames get consecutive slots, regardless of rounding.
    if (slot === this.#last || slot === this.#last + 2) slot = this.#last + 1
    const follows = slot === this.#last + 1 && this.#loudUntil === this.#last
    this.#last = slot
    if (rms(frame) < LEAST) return
    const bands = this.#bands ?? this.#allocate()
    if (!follows) bands.reset()
    const place = slot % SLOTS
    bands.measure(frame, this.#levels + place * LEVELS_BYTES)
    this.#slots[place] = slot
    this.#loudUntil = slot
  }

  /** Removes audio after `atMs` (clock ms), which is not played. */
  cut(atMs: number): void {
    const slot = Math.round(atMs / FRAME_MS)
    this.#cuts++
    for (let place = 0; place < this.#slots.length; place++)
      if (this.#slots[place]! > slot) this.#slots[place] = -1
    this.#loudUntil = Math.min(this.#loudUntil, slot)
    this.#last = Number.NEGATIVE_INFINITY
  }

  /** Returns the address of the levels of `slot`, 0 if it is silent. */
  levelsOf(slot: number): number {
    const place = slot % SLOTS
    return this.#slots.length > 0 && this.#slots[place] === slot ? this.#levels + place * LEVELS_BYTES : 0
  }

  #allocate(): BandLevels {
    this.#levels = echoModule().allocate(this, SLOTS * LEVELS_BYTES)
    this.#slots = new Float64Array(SLOTS).fill(-1)
    this.#bands = new BandLevels()
    return this.#bands
  }
}
