import { echoModule, ROW } from './echo-module.ts'

/** Samples kept from earlier frames, at 8 kHz. */
const KEPT = 96
/** Bytes of a row of levels (16-bit integers), and of a row of powers (32-bit floats). */
export const LEVELS_BYTES = 2 * ROW
export const POWERS_BYTES = 4 * ROW

/**
 * Levels of the bands from 190 to 3500 Hz of one voice, frame by frame, from the last 256 samples at 8 kHz, of which each
 * frame adds 160. The bands are narrow where harmonics are far apart. Half the sample rate is enough: it covers the phone
 * band.
 */
export class BandLevels {
  readonly #module = echoModule()
  readonly #history = this.#module.allocate(this, 4 * KEPT)
  readonly #input = this.#module.call.input() / 2

  constructor() {
    this.reset()
  }

  /** Resets the history: the next frame does not follow the previous one. */
  reset(): void {
    const from = this.#history / 4
    this.#module.f32.fill(0, from, from + KEPT)
  }

  /**
   * Writes the levels of `frame` (16 kHz, 20 ms) to the row at address `levels` of the module's memory (units), and unless
   * it is 0, the powers of its bands (1 at 0 dBFS) to the row at `powers`.
   */
  measure(frame: Int16Array, levels: number, powers = 0): void {
    this.#module.i16.set(frame, this.#input)
    this.#module.call.measure(this.#history, levels, powers)
  }
}
