import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { KeyedRateLimiter } from '../../common/rate-limit.ts'
import { sameSecret } from '../../common/secrets.ts'
import type { RoomCodes } from '../../core/calls/room-codes.ts'
import type { RoomLinks } from '../../core/calls/room-links.ts'
import { joinHash } from '../../pages/page-document.ts'

/** New invitations per address: a burst of 20 rooms, then one a minute. */
const AT_ONCE = 20
const PER_SECOND = 1 / 60
/**
 * Maximum number of codes issued by pages: half of all codes, so that phones, channels and programs can get theirs.
 */
const MOST_CODES = 500

/** Ways for another person to join a room. */
export interface Invite {
  readonly path: string
  readonly listenPath: string
  /** Absent if codes are disabled or too many are in use. */
  readonly code?: string
  readonly endsInMs: number
}

interface Given {
  readonly token: string
  readonly listenToken: string
  readonly code: string | undefined
  readonly until: number
  /** Name of the participant who requested it. */
  readonly by: string | undefined
}

export interface InvitesOptions {
  readonly links: RoomLinks
  readonly listenLinks: RoomLinks
  readonly roomCodes: Pick<RoomCodes, 'issue' | 'find'> | undefined
  readonly clock: Clock
  /** The paths of the page, and of that for listening. */
  readonly page: string
  readonly listenPage: string
  /** Lifetime of a link and a code (ms). */
  readonly ttlMs: number
}

/**
 * Creates the links and codes that visitors request. A room has one of each, which is reused until half its lifetime
 * has passed. Repeated requests, reconnects and new rooms therefore cannot use up the codes or make guessing one
 * easier.
 */
export class RoomInvitations {
  readonly #options: InvitesOptions
  readonly #rates: KeyedRateLimiter
  /** By room, in order of creation. */
  readonly #given = new Map<string, Given>()
  /** Invitations being created, by room. */
  readonly #making = new Map<string, Promise<Given>>()

  constructor(options: InvitesOptions) {
    this.#options = options
    this.#rates = new KeyedRateLimiter(options.clock, { perSecond: PER_SECOND, burst: AT_ONCE })
  }

  /**
   * Returns the invitation to `room`, requested by `by` from `address` (an address prefix). Rejects with `BridgeError`
   * `CAPACITY` above the rate limit, or `FLEET_AWAY`.
   */
  async give(room: string, address: string, by?: string): Promise<Invite> {
    const { clock } = this.#options
    const making =
      this.#making.get(room) ?? this.#current(room, address, by).finally(() => this.#making.delete(room))
    this.#making.set(room, making)
    return this.#inviteOf(await making, clock.now())
  }

  /** Returns the name of the participant who requested the link with `token`, if they had one and were at this node. */
  inviterOf(token: string): string | undefined {
    let by: string | undefined
    for (const given of this.#given.values()) if (sameSecret(token, given.token)) by = given.by
    return by
  }

  /** Returns the invitation that the room has, or a new one. */
  async #current(room: string, address: string, by: string | undefined): Promise<Given> {
    const { clock, ttlMs } = this.#options
    const now = clock.now()
    for (const [name, { until }] of this.#given) if (until <= now) this.#given.delete(name)
    const before = this.#given.get(room)
    if (before && before.until - now >= ttlMs / 2 && (await this.#good(before, room))) return before
    if (!this.#rates.take(address))
      throw new BridgeError('CAPACITY', `${AT_ONCE} invitations at once is the limit`, { retryable: true })
    const given = await this.#make(room, now, by)
    this.#given.delete(room)
    this.#given.set(room, given)
    return given
  }

  async #make(room: string, now: number, by: string | undefined): Promise<Given> {
    const { links, listenLinks, roomCodes, ttlMs } = this.#options
    const [token, listenToken] = [await links.issue(room, ttlMs), await listenLinks.issue(room, ttlMs)]
    let codes = 0
    for (const { code } of this.#given.values()) if (code !== undefined) codes++
    const code = codes < MOST_CODES ? await roomCodes?.issue(room, ttlMs) : undefined
    return { token, listenToken, code, until: now + ttlMs, by }
  }

  /** Returns true if none of them was revoked. */
  async #good({ token, listenToken, code }: Given, room: string): Promise<boolean> {
    const { links, listenLinks, roomCodes } = this.#options
    if ((await links.find(token)) !== room || (await listenLinks.find(listenToken)) !== room) return false
    return code === undefined || (await roomCodes?.find(code)) === room
  }

  #inviteOf({ token, listenToken, code, until }: Given, now: number): Invite {
    const { page, listenPage } = this.#options
    return {
      path: page + joinHash(token),
      listenPath: listenPage + joinHash(listenToken),
      code,
      endsInMs: Math.round(until - now),
    }
  }
}
