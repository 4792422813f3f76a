import { randomBytes } from 'node:crypto'
import { type Clock, setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'

/** Maximum lifetime of a link (ms). */
export const LONGEST_LINK_MS = 7 * 24 * 3_600_000
const MOST_LINKS = 10_000
const TOKEN_BYTES = 18

interface Link {
  readonly room: string
  readonly expiry: Disposable
}

/**
 * Links for joining a room from a browser. Anyone with the token is admitted until it expires or is revoked, which also
 * happens when the room's life ends (`RoomLives`). In memory only, as are rooms. The token is the fragment (`#…`) of a
 * URL, so it appears in no request and no log.
 */
export class RoomLinks implements Disposable {
  readonly #clock: Clock
  readonly #links = new Map<string, Link>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#links.size
  }

  /** Issues a token for `room`, valid for `ttlMs`. Throws `BridgeError` `CAPACITY` at the maximum number of links. */
  issue(room: string, ttlMs: number): string {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_LINK_MS))
      throw new RangeError(`ttlMs must be above 0 and at most ${LONGEST_LINK_MS}, got ${ttlMs}`)
    if (this.#links.size >= MOST_LINKS)
      throw new BridgeError('CAPACITY', `limit of ${MOST_LINKS} links reached`, { retryable: true })
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const expiry = setTimer(this.#clock, ttlMs, () => void this.#links.delete(token))
    this.#links.set(token, { room, expiry })
    return token
  }

  /** Returns the room for `token`, or undefined if it is invalid or expired. */
  find(token: string): string | undefined {
    return this.#links.get(token)?.room
  }

  /** True if `room` has a valid link. */
  has(room: string): boolean {
    for (const link of this.#links.values()) if (link.room === room) return true
    return false
  }

  /** Revokes all links of `room`. Returns their number. */
  revokeAll(room: string): number {
    let revoked = 0
    for (const [token, link] of this.#links) {
      if (link.room !== room) continue
      link.expiry[Symbol.dispose]()
      this.#links.delete(token)
      revoked++
    }
    return revoked
  }

  [Symbol.dispose](): void {
    for (const { expiry } of this.#links.values()) expiry[Symbol.dispose]()
    this.#links.clear()
  }
}
