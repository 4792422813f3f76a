/** What a fault may look at: one datagram with audio. */
export interface Datagram {
  /** Who speaks. */
  readonly userId: string
  readonly ssrc: number
  /** u16 */
  readonly sequence: number
  /** How many datagrams went this way before it. */
  readonly index: number
}

/** How often something happens: a share of 0 to 1, drawn with the call's seeded random, or exactly when it says so. */
export type Chance = number | ((datagram: Datagram) => boolean)

/** What goes wrong with datagrams in one direction. Everything is off until set, and can be changed at any time. */
export class DatagramFaults {
  /** Never arrives. */
  drop: Chance = 0
  /** Arrives twice. */
  duplicate: Chance = 0
  /** One bit of it is turned over, so that it cannot be decrypted. */
  corrupt: Chance = 0
  /** Arrives behind the datagram after it. */
  reorder: Chance = 0
  /** Arrives `delayMs` late. */
  delay: Chance = 0
  delayMs = 200
  /** How often each has happened. */
  readonly counts = { dropped: 0, duplicated: 0, corrupted: 0, reordered: 0, delayed: 0, stalled: 0 }
  #stalledMs: number | undefined

  /** The network stands still for `ms` from the next datagram on; then everything arrives at once. */
  stall(ms: number): void {
    if (!(ms > 0)) throw new RangeError(`a stall lasts more than 0 ms, got ${ms}`)
    this.#stalledMs = ms
  }

  /** For the network: a stall was asked for. */
  get stalling(): boolean {
    return this.#stalledMs !== undefined
  }

  /** For the network: takes the stall that was asked for. */
  takeStall(): number | undefined {
    const ms = this.#stalledMs
    this.#stalledMs = undefined
    return ms
  }
}
