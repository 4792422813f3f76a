import type { Leg, LegUplink } from './leg.ts'

/** Who takes what one leg delivers, as long as it is the leg of that party. */
export interface PartyLine extends LegUplink {
  readonly leg: Leg
  /** What it was given threw: the party ends, and nobody else. */
  failed(error: unknown): void
}

/** What `leg` delivers to its party; nothing any more once another leg has taken its place. */
export class PartyUplink implements LegUplink {
  readonly #leg: Leg
  readonly #party: PartyLine

  constructor(leg: Leg, party: PartyLine) {
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
