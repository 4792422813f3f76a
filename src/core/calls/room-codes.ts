import { randomInt } from 'node:crypto'
import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'

/** Digits of a code, short enough for a keypad. */
const DIGITS = 6
const CODES = 10 ** DIGITS
/** Maximum number of codes: one guess in a thousand finds a room, so callers of this class limit guesses. */
const MOST = CODES / 1_000
const LONGEST_MS = 7 * 24 * 3_600_000

/** A code that is valid for a room. */
export interface RoomCode {
  /** Six digits, with leading zeros. */
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
}

/**
 * Codes for joining a room: entered on a phone keypad, issued by the control API. A code is valid for any number of
 * people until it expires or is revoked, which also happens when the room's life ends; a fixed code never expires. In
 * memory only. This class does not know who tries a code: its callers limit guesses.
 */
export class RoomCodes {
  readonly #clock: Clock
  readonly #random: (below: number) => number
  readonly #fixed: ReadonlyMap<string, string>
  readonly #codes = new Map<string, RoomCode>()

  constructor(clock: Clock, { fixed = {}, random = randomInt }: RoomCodesOptions = {}) {
    this.#clock = clock
    this.#random = random
    this.#fixed = new Map(Object.entries(fixed))
  }

  /** Issues a code for `room`, valid for `ttlMs`. Throws `BridgeError` `CAPACITY` at the maximum number of codes. */
  issue(room: string, ttlMs: number): string {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_MS))
      throw new RangeError(`ttlMs must be above 0 and at most ${LONGEST_MS}, got ${ttlMs}`)
    this.#forgetExpired()
    if (this.#codes.size >= MOST)
      throw new BridgeError('CAPACITY', `limit of ${MOST} room codes reached`, { retryable: true })
    let code: string
    do code = String(this.#random(CODES)).padStart(DIGITS, '0')
    while (this.#codes.has(code) || this.#fixed.has(code))
    this.#codes.set(code, { code, room, expiresAt: this.#clock.now() + ttlMs })
    return code
  }

  /** Returns the room for `code`, or undefined if the code is invalid or expired. */
  find(code: string): string | undefined {
    const fixed = this.#fixed.get(code)
    if (fixed !== undefined) return fixed
    const known = this.#codes.get(code)
    return known && known.expiresAt > this.#clock.now() ? known.room : undefined
  }

  /** Returns the valid codes of `room`, without fixed ones. */
  of(room: string): readonly RoomCode[] {
    this.#forgetExpired()
    return Array.from(this.#codes.values()).filter(known => known.room === room)
  }

  /** Revokes `code`. Returns false if it was not valid or is fixed. */
  revoke(code: string): boolean {
    if (this.#fixed.has(code)) return false
    const good = this.find(code) !== undefined
    this.#codes.delete(code)
    return good
  }

  /** Revokes every code of `room`, except fixed ones. */
  revokeAll(room: string): void {
    for (const [code, known] of this.#codes) if (known.room === room) this.#codes.delete(code)
  }

  #forgetExpired(): void {
    const now = this.#clock.now()
    for (const [code, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(code)
  }
}
