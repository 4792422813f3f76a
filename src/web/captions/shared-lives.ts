import { z } from 'zod'
import { type Clock, Ticker } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { LINGER_MS, type RoomLives } from '../../core/calls/room-lifetimes.ts'
import type { Fleet, Table } from '../../core/model/fleet.ts'

/** Interval at which a node notes that a life continues (ms). */
const NOTE_MS = 60_000
/** A life that no one has noted for this long has ended (ms). */
const FRESH_MS = NOTE_MS + LINGER_MS
/** Maximum number of ids of a life: that many nodes can have had the room. */
const MOST_IDS = 32

/** The ids of a life, and when a node last noted that it continues (ms since 1970). */
const entrySchema = z.object({ ids: z.array(z.string().max(64)).max(MOST_IDS), at: z.number() })
type Entry = z.infer<typeof entrySchema>

export interface SharedLivesOptions {
  readonly fleet: Fleet
  readonly lives: RoomLives
  /** Creation time of a created room (ms since 1970); undefined for any other. */
  readonly createdAt: (room: string) => number | undefined
  /** Returns whether a room that has ended here continues at another node. */
  readonly hasMoved: (room: string) => boolean
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Logger
}

/**
 * Lives of rooms with links to their captions, in a table of the fleet: each node, and each run of it, has its own id for a life,
 * and a link has that of the run that issued it. Only lives with links are written.
 */
export class SharedLives implements Disposable {
  readonly #options: SharedLivesOptions
  readonly #table: Table<Entry>
  /** Rooms with links whose life is here. */
  readonly #linked = new Set<string>()
  #ticker: Ticker | undefined

  constructor(options: SharedLivesOptions) {
    this.#options = options
    this.#table = options.fleet.table('day', 'lives with caption links', entrySchema)
  }

  /** Notes the lives that continue, and removes those that end. Call it once. */
  start(): void {
    const { clock, lives } = this.#options
    this.#ticker = new Ticker(clock, NOTE_MS, () => {
      for (const room of this.#linked) this.publish(room)
    })
    lives.onEnded(room => this.#ended(room))
  }

  /** Tells the other nodes the current life of `room`, for which a link was issued. Never throws. */
  publish(room: string): void {
    this.#linked.add(room)
    this.#try(async () => {
      await this.learn(room)
      const ids = this.#options.lives.idsOf(room).slice(0, MOST_IDS)
      if (ids.length > 0 && !this.#options.hasMoved(room))
        await this.#table.put(this.#keyOf(room), { ids: [...ids], at: this.#options.wall() })
    })
  }

  /** Reads the ids that the current life of `room` has at other nodes. Rejects with `BridgeError` `FLEET_AWAY`. */
  async learn(room: string): Promise<void> {
    const entry = (await this.#table.get(this.#keyOf(room)))?.value
    if (!entry || !this.#continues(room, entry)) return
    this.#options.lives.join(room, entry.ids)
    if (this.#options.lives.idOf(room) !== undefined) this.#linked.add(room)
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
  }

  /** The entry is not that of an earlier room with this name. */
  #continues(room: string, { at }: Entry): boolean {
    const createdAt = this.#options.createdAt(room)
    return createdAt === undefined ? this.#options.wall() - at < FRESH_MS : at >= createdAt
  }

  #ended(room: string): void {
    if (!this.#linked.delete(room) || this.#options.hasMoved(room)) return
    this.#try(() => this.#table.delete(this.#keyOf(room)))
  }

  #try(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!(error instanceof BridgeError)) throw error
      this.#options.log.debug(errorFields(error), 'the life of a room could not be shared')
    })
  }

  #keyOf(room: string): string {
    return this.#options.fleet.digest(`life of ${room}`)
  }
}
