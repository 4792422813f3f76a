/** Units of work per turn of the event loop: about two milliseconds on a slow machine. */
const TURN_UNITS = 65_536

/** Units of work for an element of a file in addition to one for each of its bytes. */
export const ELEMENT_UNITS = 64

/**
 * Divides the work on bytes from outside into turns of the event loop, so that a file of any size and content delays
 * others by a few milliseconds only. The unit is a byte that is read.
 */
export class TurnBudget {
  #left = TURN_UNITS

  /** Counts `units` of work done. Ends the turn if its budget is used up. */
  async spend(units: number): Promise<void> {
    this.#left -= units
    if (this.#left <= 0) await this.pause()
  }

  /** Ends the turn. */
  async pause(): Promise<void> {
    this.#left = TURN_UNITS
    await new Promise(setImmediate)
  }
}
