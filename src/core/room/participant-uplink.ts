import type { Leg, LegUplink } from '../model/leg.ts'

/** Receives the uplink of a participant's current leg. */
export interface UplinkTarget extends LegUplink {
  readonly leg: Leg
  /** Handling the uplink threw `error`: only this participant ends. */
  failed(error: unknown): void
}

/** Passes the uplink of `leg` to its participant until another leg replaces it. */
export class LegUplinkAdapter implements LegUplink {
  readonly #leg: Leg
  readonly #party: UplinkTarget

  constructor(leg: Leg, party: UplinkTarget) {
    this.#leg = leg
    this.#party = party
  }

  write(frame: Int16Array): void {
    if (this.#party.leg !== this.#leg) return
    try {
      this.#party.write(frame)
    } catch (error) {
      this.#party.failed(error)
    }
  }

  marked(name: string): void {
    if (this.#party.leg !== this.#leg) return
    try {
      this.#party.marked(name)
    } catch (error) {
      this.#party.failed(error)
    }
  }

  dtmf(digit: string): void {
    if (this.#party.leg !== this.#leg) return
    try {
      this.#party.dtmf(digit)
    } catch (error) {
      this.#party.failed(error)
    }
  }
}
