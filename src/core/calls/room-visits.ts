import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import { parseJsonAs } from '../../common/json.ts'
import { ownState, type SharedState } from '../model/shared-state.ts'
import { type NotedSecret, RoomSecrets } from './room-secrets.ts'

/** Maximum number of visits; visitors beyond it cannot return after a restart. */
const MOST_VISITS = 10_000
/** Visits added between two counts. */
const COUNTED_EVERY = 100

const aboutSchema = z.object({
  /** Id of their participant. */
  participant: z.string(),
  invited: z.boolean(),
})

/** A visit that can be continued. */
export interface KeptVisit extends z.infer<typeof aboutSchema> {
  readonly room: string
  /** Remaining time of the visit (ms). */
  readonly leftMs: number
}

/**
 * Visits in browsers, known by their credentials, so that the same participant returns to the same room after a restart of this
 * server, a reload or a crash of the page. A visit ends with its time, when the visitor hangs up, and with the life of its
 * room. Methods reject with `BridgeError` `FLEET_AWAY` while the fleet is unavailable.
 */
export class RoomVisits {
  readonly #secrets: RoomSecrets
  #known = 0
  #added = 0

  /** `state` keeps the visits. Default: in memory. */
  constructor(clock: Clock, state: SharedState = ownState(clock)) {
    this.#secrets = new RoomSecrets(state, 'visits')
  }

  /** Keeps the visit with these credentials, unless there are too many. */
  async keep(credentials: string, { room, leftMs, ...about }: KeptVisit): Promise<void> {
    if (this.#added++ % COUNTED_EVERY === 0) this.#known = await this.#secrets.count()
    if (this.#known >= MOST_VISITS) return
    this.#known++
    await this.#secrets.add(credentials, room, leftMs, JSON.stringify(about))
  }

  /** Returns the visit with these credentials, or undefined if it is over. */
  async find(credentials: string): Promise<KeptVisit | undefined> {
    const found = await this.#secrets.look(credentials)
    return found && visitOf(found)
  }

  /** Ends a visit. */
  async end(credentials: string): Promise<void> {
    await this.#secrets.remove(credentials)
  }

  /** Returns all visits that can be continued. Slow. */
  async all(): Promise<readonly KeptVisit[]> {
    return (await this.#secrets.all()).map(visitOf).filter(visit => visit !== undefined)
  }

  /** Returns true if a visit to `room` can be continued. */
  has(room: string): Promise<boolean> {
    return this.#secrets.has(room)
  }

  /** Ends all visits to `room`. Returns their number. */
  revokeAll(room: string): Promise<number> {
    return this.#secrets.removeAll(room)
  }
}

/** Returns undefined for a note of another version. */
function visitOf({ room, about = '', leftMs }: NotedSecret): KeptVisit | undefined {
  const known = parseJsonAs(about, aboutSchema)
  return known && { ...known, room, leftMs }
}
