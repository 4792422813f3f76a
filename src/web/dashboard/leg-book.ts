import type { Clock } from '../../common/clock.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Interpretation } from '../../core/room/interpretation.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Relay } from '../../core/room/relay.ts'
import type { Room } from '../../core/room/room.ts'
import { LegEntry } from './leg-entry.ts'
import type { LegFigures } from './protocol.ts'

export interface BookParts {
  readonly relay: Relay
  readonly clock: Clock
  readonly wall: WallClock
  /** Returns the simulated call to which the peer’s `call` belongs. */
  readonly simulated: (call: string | undefined) => LegFigures['simulated']
}

/** Result of an update: JSON of new or changed rooms and legs, and the removed ones. */
export interface BookChanges {
  readonly rooms: readonly string[]
  readonly legs: readonly string[]
  readonly goneRooms: readonly string[]
  readonly goneLegs: readonly number[]
  /** Numbers of legs, each followed by its lag. */
  readonly lag: readonly number[]
}

interface RoomEntry {
  readonly since: number
  json: string
  seen: number
}

const NONE: readonly Interpretation[] = []

/** Rooms and legs as last sent. An update takes a few microseconds per leg. */
export class LegBook {
  readonly #parts: BookParts
  readonly #recording: (room: string) => string | null
  readonly #legs = new Map<Participant, LegEntry>()
  readonly #byId = new Map<string, LegEntry>()
  readonly #rooms = new Map<string, RoomEntry>()
  #looks = 0
  #numbers = 0

  /** `recording`: recording state of a room. */
  constructor(parts: BookParts, recording: (room: string) => string | null) {
    this.#parts = parts
    this.#recording = recording
  }

  /** Records a participant’s level, 0 to 1. */
  heard(participant: string, level: number): void {
    const entry = this.#byId.get(participant)
    if (entry && level > entry.loudest) entry.loudest = level
  }

  /** Returns numbers of legs, each followed by its changed level. */
  levels(): readonly number[] {
    const changed: number[] = []
    for (const entry of this.#legs.values()) if (entry.lookAtLevel()) changed.push(entry.n, entry.level)
    return changed
  }

  look(): BookChanges {
    this.#looks++
    const rooms: string[] = []
    const legs: string[] = []
    const lag: number[] = []
    for (const room of this.#parts.relay.rooms.values()) {
      this.#lookAtRoom(room, rooms)
      const bySpeaker = Map.groupBy(room.interpretations, ({ speaker }) => speaker)
      for (const participant of room.participants.values()) {
        const entry = this.#entry(participant)
        entry.seen = this.#looks
        const simulated = this.#parts.simulated(participant.leg.call)
        if (entry.look({ interpretations: bySpeaker.get(participant) ?? NONE, simulated }))
          legs.push(entry.json)
        if (entry.lookAtLag()) lag.push(entry.n, entry.lagMs)
      }
    }
    return { rooms, legs, lag, ...this.#gone() }
  }

  /** All entries as last sent, each with its history. */
  get whole(): { readonly rooms: readonly string[]; readonly legs: readonly string[] } {
    return {
      rooms: Array.from(this.#rooms.values(), ({ json }) => json),
      legs: Array.from(this.#legs.values(), ({ whole }) => whole),
    }
  }

  #lookAtRoom(room: Room, changed: string[]): void {
    const { name, sessions, openedAt } = room
    const entry = this.#rooms.get(name) ?? { since: this.#dateOf(openedAt), json: '', seen: 0 }
    this.#rooms.set(name, entry)
    entry.seen = this.#looks
    const json = JSON.stringify({ name, since: entry.since, sessions, recording: this.#recording(name) })
    if (json === entry.json) return
    entry.json = json
    changed.push(json)
  }

  #entry(participant: Participant): LegEntry {
    const known = this.#legs.get(participant)
    if (known) return known
    const entry = new LegEntry(++this.#numbers, participant, this.#dateOf(participant.since))
    this.#legs.set(participant, entry)
    this.#byId.set(participant.id, entry)
    return entry
  }

  #gone(): Pick<BookChanges, 'goneRooms' | 'goneLegs'> {
    const goneRooms: string[] = []
    const goneLegs: number[] = []
    for (const [name, { seen }] of this.#rooms)
      if (seen !== this.#looks) {
        this.#rooms.delete(name)
        goneRooms.push(name)
      }
    for (const [participant, entry] of this.#legs)
      if (entry.seen !== this.#looks) {
        this.#legs.delete(participant)
        if (this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id)
        goneLegs.push(entry.n)
      }
    return { goneRooms, goneLegs }
  }

  /** Converts `at` from clock ms to milliseconds since 1970. */
  #dateOf(at: number): number {
    const { clock, wall } = this.#parts
    return Math.round(wall() - (clock.now() - at))
  }
}
