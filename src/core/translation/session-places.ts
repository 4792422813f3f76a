/** A session that occupies a place at the service. */
interface Occupant {
  /** When its speaker last spoke (clock ms). */
  readonly spokeAt: number
  /** Gives its place up if nothing is lost by that. Returns false if it needs the place. */
  yieldPlace(now: number): boolean
}

/** The sessions that occupy places at the service. Those of silent speakers yield to those that are needed. */
export class SessionPlaces {
  readonly #occupants = new Set<Occupant>()

  take(occupant: Occupant): void {
    this.#occupants.add(occupant)
  }

  leave(occupant: Occupant): void {
    this.#occupants.delete(occupant)
  }

  /** Ends the session whose speaker has been silent for longest. Returns false if all are needed. */
  free(now: number): boolean {
    const bySilence = [...this.#occupants].sort((a, b) => a.spokeAt - b.spokeAt)
    return bySilence.some(occupant => occupant.yieldPlace(now))
  }
}
