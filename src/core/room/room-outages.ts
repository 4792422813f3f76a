import type { Observer } from '../model/events.ts'
import type { Participant } from './participant.ts'

/** Detects listeners who hear originals because translation is unavailable, and emits `away` events. */
export class RoomOutages {
  readonly #room: string
  readonly #observer: Observer
  /** Start of the outage (clock ms), by listener. */
  readonly #since = new Map<string, number>()

  constructor(room: string, observer: Observer) {
    this.#room = room
    this.#observer = observer
  }

  /** Checks every listener; call it a few times a second. */
  check(participants: Iterable<Participant>, now: number): void {
    for (const participant of participants) {
      const away = isAway(participant)
      const since = this.#since.get(participant.id)
      if (away && since === undefined) {
        this.#since.set(participant.id, now)
        this.#tell(participant, true, 0)
      } else if (!away && since !== undefined) {
        this.#since.delete(participant.id)
        this.#tell(participant, false, now - since)
      }
    }
  }

  /** `participant` left the room. */
  forget(participant: Participant): void {
    this.#since.delete(participant.id)
  }

  #tell({ id }: Participant, away: boolean, forMs: number): void {
    this.#observer.emit('away', { room: this.#room, participant: id, away, forMs })
  }
}

function isAway({ playout }: Participant): boolean {
  for (const { session } of playout.voices.values()) if (session?.away) return true
  return false
}
