import type { Clock } from '../../common/clock.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Interpretation } from '../../core/room/interpretation.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Relay } from '../../core/room/relay.ts'
import type { Room } from '../../core/room/room.ts'
import { FRAME_MS } from '../../transcode/pcm.ts'
import { LagCurve, participantName } from './page/figures.ts'
import type { LegFigures } from './protocol.ts'

/** Levels below this are zero (dBFS). */
const FLOOR_DB = -60
/** Resolution of lags (ms), so that small changes are not sent. */
const LAG_STEP = 10

/** Data about a leg from other parts. */
export interface LegContext {
  readonly interpretations: readonly Interpretation[]
  readonly lacks: readonly string[]
  readonly simulated: LegFigures['simulated']
}

/** A leg on the dashboard. Its JSON is created when something changes, and shared by all viewers. */
class LegEntry {
  readonly n: number
  readonly curve = new LagCurve()
  /** As last sent. */
  json = ''
  /** Number of the last update in which it was in the room. */
  seen = 0
  /** Maximum level since the last level message, 0 to 1. */
  loudest = 0
  level = 0
  lagMs = 0
  /** Their name for people, as of the last update. */
  name: string | undefined
  readonly #participant: Participant
  /** Milliseconds since 1970. */
  readonly #since: number

  constructor(n: number, participant: Participant, since: number) {
    this.n = n
    this.#participant = participant
    this.#since = since
  }

  get id(): string {
    return this.#participant.id
  }

  /** Updates the entry; returns true if there is something to send. */
  look(context: LegContext): boolean {
    const figures = this.#figures(context)
    this.name = participantName(figures)
    const json = JSON.stringify(figures)
    if (json === this.json) return false
    this.json = json
    return true
  }

  /** Updates the lag, that of its slowest listener link; returns true if it changed. */
  lookAtLag(): boolean {
    let most = 0
    for (const { translation } of this.#participant.playout.voices.values())
      most = Math.max(most, translation.lagMs)
    const lagMs = Math.round(most / LAG_STEP) * LAG_STEP
    this.curve.add(lagMs)
    if (lagMs === this.lagMs) return false
    this.lagMs = lagMs
    return true
  }

  /** Updates the level; returns true if it changed. */
  lookAtLevel(): boolean {
    const level = levelOf(this.loudest)
    this.loudest = 0
    if (level === this.level) return false
    this.level = level
    return true
  }

  /** Includes its history, for new viewers. */
  get whole(): string {
    return `${this.json.slice(0, -1)},"level":${this.level},"lag":[${this.curve.points.join()}]}`
  }

  #figures({ interpretations, lacks, simulated }: LegContext): LegFigures {
    const { id, channel, invitation, state, present, leg, returns } = this.#participant
    let lostMs = 0
    const sessions = interpretations.map(({ to, session, gets }) => {
      lostMs += session.lostMs
      return { to, status: session.state.status, unavailable: gets === 'unavailable', drops: session.drops }
    })
    return {
      n: this.n,
      id,
      room: invitation.room,
      channel,
      name: state.name ?? null,
      speaks: state.speaks ?? null,
      hears: state.hears ?? null,
      original: state.original,
      muted: state.muted,
      interpreting: state.interpreting,
      present,
      since: this.#since,
      sessions,
      lacks,
      lost: { line: framesOf(leg.lostMs ?? 0), service: framesOf(lostMs) },
      returns,
      simulated,
    }
  }
}

function framesOf(ms: number): number {
  return Math.round(ms / FRAME_MS)
}

/** Converts a level of 0 to 1 to the display scale: 0 to 100, in decibels. */
export function levelOf(level: number): number {
  if (!(level > 0)) return 0
  const db = 20 * Math.log10(level)
  return Math.max(0, Math.min(100, Math.round(100 - (db / FLOOR_DB) * 100)))
}

export interface BookOptions {
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
export class LegFiguresRegistry {
  readonly #options: BookOptions
  readonly #recording: (room: string) => string | null
  readonly #legs = new Map<Participant, LegEntry>()
  readonly #byId = new Map<string, LegEntry>()
  readonly #rooms = new Map<string, RoomEntry>()
  #looks = 0
  #numbers = 0

  /** `recording`: recording state of a room. */
  constructor(options: BookOptions, recording: (room: string) => string | null) {
    this.#options = options
    this.#recording = recording
  }

  /** Returns the name that people know the participant `id` by, while they are in a room and shortly after. */
  nameOf(id: string): string {
    const known = this.#byId.get(id)?.name
    if (known !== undefined) return known
    const participant = this.#options.relay.find(id)
    if (!participant) return id
    const simulated = this.#options.simulated(participant.leg.call)
    return participantName({ id, name: participant.state.name ?? null, simulated })
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
    for (const room of this.#options.relay.rooms.values()) {
      this.#lookAtRoom(room, rooms)
      const bySpeaker = Map.groupBy(room.interpretations, ({ speaker }) => speaker)
      const lacking = Map.groupBy(
        room.receptions.filter(({ gets }) => gets === 'unavailable'),
        ({ listener }) => listener,
      )
      for (const participant of room.participants.values()) {
        const entry = this.#entry(participant)
        entry.seen = this.#looks
        const simulated = this.#options.simulated(participant.leg.call)
        const lacks = (lacking.get(participant.id) ?? []).map(({ speaker }) => this.nameOf(speaker))
        if (entry.look({ interpretations: bySpeaker.get(participant) ?? NONE, lacks, simulated }))
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
    const { clock, wall } = this.#options
    return Math.round(wall() - (clock.now() - at))
  }
}
