import { randomInt } from 'node:crypto'
import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { ownState, type SharedState } from '../model/shared-state.ts'
import { RoomSecrets } from './room-secrets.ts'

/**
 * Digits of a code, short enough for a keypad. Callers of this class limit guesses, to 400 an hour in all during an attack
 * (`room-code-limiter.ts`): with 10 codes at a time, an attack finds one in 2.9 years; with the maximum, in 10 days.
 */
const DIGITS = 8
const CODES = 10 ** DIGITS
/** Maximum number of codes. */
const MOST = 1_000
const LONGEST_MS = 7 * 24 * 3_600_000
/** Interval between counts of the codes of all nodes (ms). */
const COUNT_MS = 10_000

/** A code that is valid for a room. */
export interface RoomCode {
  /** Eight digits, with leading zeros. */
  readonly code: string
  readonly room: string
  /** Clock ms. */
  readonly expiresAt: number
}

export interface RoomCodesOptions {
  /** Permanent codes with their rooms, reserved for those rooms. */
  readonly fixed?: Readonly<Record<string, string>> | undefined
  /** Returns an integer from 0 up to, but not including, `below`. */
  readonly random?: (below: number) => number
  /** Keeps the codes. Default: in memory. */
  readonly state?: SharedState | undefined
}

/**
 * Codes for joining a room: entered on a phone keypad, issued by the control API. A code is valid for any number of
 * people until it expires or is revoked, which also happens when the room's life ends; a fixed code never expires. This
 * class does not know who tries a code: its callers limit guesses. Methods reject with `BridgeError` `FLEET_AWAY` while
 * the fleet is unavailable; fixed codes are still found.
 */
export class RoomCodes {
  readonly #clock: Clock
  readonly #random: (below: number) => number
  readonly #fixed: ReadonlyMap<string, string>
  readonly #secrets: RoomSecrets
  readonly #state: SharedState
  /** Codes of all nodes when they were last counted, and those issued here since. */
  #known = 0
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(
    clock: Clock,
    { fixed = {}, random = randomInt, state = ownState(clock) }: RoomCodesOptions = {},
  ) {
    this.#clock = clock
    this.#random = random
    this.#fixed = new Map(Object.entries(fixed))
    this.#secrets = new RoomSecrets(state, 'room codes', { listed: true })
    this.#state = state
  }

  /** Issues a code for `room`, valid for `ttlMs`. Rejects with `BridgeError` `CAPACITY` at the maximum number of codes. */
  issue(room: string, ttlMs: number): Promise<string> {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_MS))
      throw new RangeError(`ttlMs must be above 0 and at most ${LONGEST_MS}, got ${ttlMs}`)
    return this.#issue(room, ttlMs)
  }

  async #issue(room: string, ttlMs: number): Promise<string> {
    await this.#makeRoom()
    this.#known++
    let code: string
    do code = String(this.#random(CODES)).padStart(DIGITS, '0')
    while (this.#fixed.has(code) || !(await this.#secrets.add(code, room, ttlMs)))
    return code
  }

  /** Returns the room for `code`, or undefined if the code is invalid or expired. */
  async find(code: string): Promise<string | undefined> {
    return this.#fixed.get(code) ?? this.#secrets.find(code)
  }

  /** Returns the valid codes of `room`, issued at any node, without fixed ones. */
  async of(room: string): Promise<readonly RoomCode[]> {
    const [now, wall] = [this.#clock.now(), this.#state.wall()]
    const known = await this.#secrets.list(room)
    return known.map(({ secret, until }) => ({ code: secret, room, expiresAt: now + until - wall }))
  }

  /** Returns the rooms with valid codes, without fixed ones. */
  rooms(): Promise<ReadonlySet<string>> {
    return this.#secrets.rooms()
  }

  /** Revokes `code`. Returns false if it was not valid or is fixed. */
  async revoke(code: string): Promise<boolean> {
    if (this.#fixed.has(code)) return false
    return this.#secrets.remove(code)
  }

  /** Revokes every code of `room`, except fixed ones. */
  async revokeAll(room: string): Promise<void> {
    await this.#secrets.removeAll(room)
  }

  /** Rejects at the maximum number of codes. Counts those of all nodes, at intervals or when they seem too many. */
  async #makeRoom(): Promise<void> {
    const now = this.#clock.now()
    if (this.#known >= MOST || now - this.#countedAt >= COUNT_MS) {
      this.#countedAt = now
      this.#known = await this.#secrets.count()
    }
    if (this.#known >= MOST)
      throw new BridgeError('CAPACITY', `limit of ${MOST} room codes reached`, { retryable: true })
  }
}
