/** Input of a fault: one datagram with audio. */
export interface Datagram {
  /** The speaker. */
  readonly userId: string
  readonly ssrc: number
  /** u16 */
  readonly sequence: number
  /** Number of datagrams in this direction before it. */
  readonly index: number
}

/** Frequency of a fault: a share of 0 to 1, drawn with the call's seeded random, or a function that decides. */
export type Chance = number | ((datagram: Datagram) => boolean)

/** Faults of datagrams in one direction. Everything is off until set, and can be changed at any time. */
export class DatagramFaults {
  /** Never arrives. */
  drop: Chance = 0
  /** Arrives twice. */
  duplicate: Chance = 0
  /** One bit of it is flipped, so that it cannot be decrypted. */
  corrupt: Chance = 0
  /** Arrives after the datagram that follows it. */
  reorder: Chance = 0
  /** Arrives `delayMs` late. */
  delay: Chance = 0
  delayMs = 200
  /** Number of occurrences of each fault. */
  readonly counts = { dropped: 0, duplicated: 0, corrupted: 0, reordered: 0, delayed: 0, stalled: 0 }
  #stalledMs: number | undefined

  /** Stalls the network for `ms` from the next datagram on; then everything arrives at once. */
  stall(ms: number): void {
    if (!(ms > 0)) throw new RangeError(`a stall lasts more than 0 ms, got ${ms}`)
    this.#stalledMs = ms
  }

  /** For the network: a stall was requested. */
  get stalling(): boolean {
    return this.#stalledMs !== undefined
  }

  /** For the network: takes the requested stall. */
  takeStall(): number | undefined {
    const ms = this.#stalledMs
    this.#stalledMs = undefined
    return ms
  }
}
