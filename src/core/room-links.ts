import { randomBytes } from 'node:crypto'
import { after, type Clock } from './clock.ts'
import { BridgeError } from './errors.ts'

/** No link is good for longer (ms). */
export const LONGEST_LINK_MS = 7 * 24 * 3_600_000
const MOST_LINKS = 10_000
const TOKEN_BYTES = 18

interface Link {
  readonly room: string
  readonly expiry: Disposable
}

/**
 * The links by which people get into a room from a browser: whoever has the token is let in, until it expires or is
 * revoked, as it is when the room's life ends (`RoomLives`). In memory only, as rooms are. A token stands behind the `#` of an address, so that no request and no log has it.
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

  /** A token for `room`, good for `ttlMs`. Throws `BridgeError` `CAPACITY` when too many are out. */
  issue(room: string, ttlMs: number): string {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_LINK_MS))
      throw new RangeError(`a link is good for up to ${LONGEST_LINK_MS} ms, got ${ttlMs}`)
    if (this.#links.size >= MOST_LINKS)
      throw new BridgeError('CAPACITY', `${MOST_LINKS} links are the most`, { retryable: true })
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const expiry = after(this.#clock, ttlMs, () => void this.#links.delete(token))
    this.#links.set(token, { room, expiry })
    return token
  }

  /** The room that `token` lets in to; undefined for one that is not good (any more). */
  find(token: string): string | undefined {
    return this.#links.get(token)?.room
  }

  /** Whether any link leads to `room`. */
  has(room: string): boolean {
    for (const link of this.#links.values()) if (link.room === room) return true
    return false
  }

  /** No link to `room` is good any more; how many were. */
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
