import type { Clock } from '../../core/clock.ts'
import { BridgeError } from '../../core/errors.ts'
import type { RoomCodes } from '../../core/room-codes.ts'
import type { RoomLinks } from '../../core/room-links.ts'
import { AddressRates } from '../../guard/address-rates.ts'
import { joinHash } from '../../pages/join-path.ts'

/** Rooms for which somebody at one address may have something new made: so many at once, then one a minute. */
const AT_ONCE = 20
const PER_SECOND = 1 / 60
/** Most codes that pages have out: half of all there may be, so that telephones, channels and programs get theirs. */
const MOST_CODES = 500

/** How somebody else gets into a room. */
export interface Invite {
  readonly path: string
  /** Absent: there are none, or too many are out. */
  readonly code?: string
  readonly endsInMs: number
}

interface Given {
  readonly token: string
  readonly code: string | undefined
  readonly until: number
}

export interface InvitesParts {
  readonly links: RoomLinks
  readonly roomCodes: Pick<RoomCodes, 'issue' | 'find'> | undefined
  readonly clock: Clock
  /** The path of the page. */
  readonly page: string
  /** How long a link and a code are good (ms). */
  readonly ttlMs: number
}

/**
 * Links and codes that people on the page ask for. A room has one of each, which is given again while it is good for long
 * enough: whoever asks again and again, comes back again and again, or makes room after room takes none from others, and does not fill
 * the codes until one is found by guessing.
 */
export class Invites {
  /** Links that were made. */
  made = 0
  readonly #parts: InvitesParts
  readonly #rates: AddressRates
  /** By room, in the order in which they were made. */
  readonly #given = new Map<string, Given>()

  constructor(parts: InvitesParts) {
    this.#parts = parts
    this.#rates = new AddressRates(parts.clock, { perSecond: PER_SECOND, burst: AT_ONCE })
  }

  /** For `room`, asked for from `address` (a group of addresses). Throws `BridgeError` `CAPACITY` when it is too much. */
  give(room: string, address: string): Invite {
    const { clock, ttlMs } = this.#parts
    const now = clock.now()
    for (const [name, { until }] of this.#given) if (until <= now) this.#given.delete(name)
    const before = this.#given.get(room)
    if (before && this.#good(before, room) && before.until - now >= ttlMs / 2)
      return this.#inviteOf(before, now)
    if (!this.#rates.take(address))
      throw new BridgeError('CAPACITY', `${AT_ONCE} invitations at once are the most`, { retryable: true })
    const given = this.#make(room, now)
    this.#given.delete(room)
    this.#given.set(room, given)
    this.made++
    return this.#inviteOf(given, now)
  }

  #make(room: string, now: number): Given {
    const { links, roomCodes, ttlMs } = this.#parts
    const token = links.issue(room, ttlMs)
    let codes = 0
    for (const { code } of this.#given.values()) if (code !== undefined) codes++
    const code = codes < MOST_CODES ? roomCodes?.issue(room, ttlMs) : undefined
    return { token, code, until: now + ttlMs }
  }

  /** Neither was revoked. */
  #good({ token, code }: Given, room: string): boolean {
    const { links, roomCodes } = this.#parts
    return links.find(token) === room && (code === undefined || roomCodes?.find(code) === room)
  }

  #inviteOf({ token, code, until }: Given, now: number): Invite {
    return {
      path: this.#parts.page + joinHash(token),
      ...(code === undefined ? {} : { code }),
      endsInMs: Math.round(until - now),
    }
  }
}
