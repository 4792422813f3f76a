import { BANDS, BandLevels } from '../transcode/band-levels.ts'
import { rms } from '../transcode/level.ts'
import { FRAME_MS } from '../transcode/pcm.ts'

/** Slots kept: 2.56 s, of which one second may lie ahead. */
const SLOTS = 128
/** A softer frame leaves no echo that anybody understands (RMS: −64 dBFS). */
const LEAST = 20

/**
 * Something whose echo may come back: what one party is played, or says where others hear it. Keeps its levels in bands on
 * a grid of 20 ms; silence costs nothing.
 */
export class EchoReference {
  /** The strongest echo that is thought possible before anything is known (dB). */
  readonly strongestDb: number
  readonly #levels = new Float32Array(SLOTS * BANDS)
  /** Which slot each place holds. */
  readonly #slots = new Float64Array(SLOTS).fill(-1)
  readonly #bands = new BandLevels()
  #last = Number.NEGATIVE_INFINITY
  #loudUntil = Number.NEGATIVE_INFINITY

  constructor(strongestDb = -3) {
    this.strongestDb = strongestDb
  }

  /** The last slot that can be heard. */
  get loudUntil(): number {
    return this.#loudUntil
  }

  /** `frame` is heard at `atMs` (clock ms). Frames come in order. */
  add(frame: Int16Array, atMs: number): void {
    let slot = Math.round(atMs / FRAME_MS)
    // Frames of one stretch follow each other, to whatever side their fraction of a slot is rounded.
    if (slot === this.#last || slot === this.#last + 2) slot = this.#last + 1
    const follows = slot === this.#last + 1 && this.#loudUntil === this.#last
    this.#last = slot
    if (rms(frame) < LEAST) return
    if (!follows) this.#bands.reset()
    const place = slot % SLOTS
    this.#bands.levels(frame, this.#levels, place * BANDS)
    this.#slots[place] = slot
    this.#loudUntil = slot
  }

  /** What was to be heard after `atMs` (clock ms) is not. */
  cut(atMs: number): void {
    const slot = Math.round(atMs / FRAME_MS)
    for (let place = 0; place < SLOTS; place++) if (this.#slots[place]! > slot) this.#slots[place] = -1
    this.#loudUntil = Math.min(this.#loudUntil, slot)
    this.#last = Number.NEGATIVE_INFINITY
  }

  /** Raises the levels at `at` in `into` to those of `slot`. */
  raise(slot: number, into: Float32Array, at: number): void {
    const place = slot % SLOTS
    if (this.#slots[place] !== slot) return
    const from = place * BANDS
    for (let band = 0; band < BANDS; band++) {
      const level = this.#levels[from + band]!
      if (level > into[at + band]!) into[at + band] = level
    }
  }
}
