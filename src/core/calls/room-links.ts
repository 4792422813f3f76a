import { randomBytes } from 'node:crypto'
import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { ownState, type SharedState } from '../model/shared-state.ts'
import { RoomSecrets } from './room-secrets.ts'

/** Maximum lifetime of a link (ms). */
export const LONGEST_ROOM_LINK_MS = 7 * 24 * 3_600_000
const MOST_LINKS = 10_000
const TOKEN_BYTES = 18
/** Interval between counts of the links of all nodes (ms). */
const COUNT_MS = 10_000

/** What the holders of a link can do in its room: talk, or only listen. The names of the tables that keep the links. */
export type LinkKind = 'room links' | 'listen links'

/**
 * Links to a room for browsers, all of one kind. Anyone with the token is admitted until it expires or is revoked, which also
 * happens when the room's life ends (`RoomLives`). The token is the fragment (`#…`) of a URL, so it appears in no request
 * and no log. Methods reject with `BridgeError` `FLEET_AWAY` while the fleet is unavailable.
 */
export class RoomLinks {
  readonly #clock: Clock
  readonly #secrets: RoomSecrets
  /** Links of all nodes when they were last counted, and those issued here since. */
  #known = 0
  #countedAt = Number.NEGATIVE_INFINITY

  /** `state` keeps the links. Default: in memory. */
  constructor(clock: Clock, state: SharedState = ownState(clock), kind: LinkKind = 'room links') {
    this.#clock = clock
    this.#secrets = new RoomSecrets(state, kind)
  }

  /** Returns the number of valid links. */
  count(): Promise<number> {
    return this.#secrets.count()
  }

  /** Issues a token for `room`, valid for `ttlMs`. Rejects with `BridgeError` `CAPACITY` at the maximum number of links. */
  issue(room: string, ttlMs: number): Promise<string> {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_ROOM_LINK_MS))
      throw new RangeError(`ttlMs must be above 0 and at most ${LONGEST_ROOM_LINK_MS}, got ${ttlMs}`)
    return this.#issue(room, ttlMs)
  }

  async #issue(room: string, ttlMs: number): Promise<string> {
    const now = this.#clock.now()
    if (this.#known >= MOST_LINKS || now - this.#countedAt >= COUNT_MS) {
      this.#countedAt = now
      this.#known = await this.#secrets.count()
    }
    if (this.#known >= MOST_LINKS)
      throw new BridgeError('CAPACITY', `limit of ${MOST_LINKS} links reached`, { retryable: true })
    this.#known++
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    await this.#secrets.add(token, room, ttlMs)
    return token
  }

  /** Returns the room for `token`, or undefined if it is invalid or expired. */
  find(token: string): Promise<string | undefined> {
    return this.#secrets.find(token)
  }

  /** Returns the rooms with valid links. */
  rooms(): Promise<ReadonlySet<string>> {
    return this.#secrets.rooms()
  }

  /** Returns true if `room` has a valid link. */
  has(room: string): Promise<boolean> {
    return this.#secrets.has(room)
  }

  /** Revokes all links of `room`. Returns their number. */
  revokeAll(room: string): Promise<number> {
    return this.#secrets.removeAll(room)
  }
}
