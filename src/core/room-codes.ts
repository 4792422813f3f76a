import { randomInt } from 'node:crypto'
import type { Clock } from './clock.ts'
import { BridgeError } from './errors.ts'

/** Digits of a code: as many as people will key in. */
const DIGITS = 6
const CODES = 10 ** DIGITS
/** Most codes at a time: one guess in a thousand finds a room, and whoever asks limits the guesses. */
const MOST = CODES / 1_000
const LONGEST_MS = 7 * 24 * 3_600_000

/** A code that is good for a room. */
export interface RoomCode {
  /** Six digits, also zeros in front. */
  readonly code: string
  readonly room: string
  /** Clock ms. */
  readonly expiresAt: number
}

export interface RoomCodesOptions {
  /** Codes that do not expire, each with its room: no other room gets one of them. */
  readonly fixed?: Readonly<Record<string, string>> | undefined
  /** A number from 0 to below `below`. */
  readonly random?: (below: number) => number
}

/**
 * The codes by which people get into a room: keyed in on a telephone, given out by the control API. A code is good until
 * it expires or is revoked, as it is when the room's life ends, for as many people as have it; a fixed one for ever. In memory only. Whoever asks for codes limits the guesses:
 * here nobody is known.
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

  /** A new code for `room`, good for `ttlMs`. Throws `BridgeError` `CAPACITY` when too many are out. */
  issue(room: string, ttlMs: number): string {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_MS))
      throw new RangeError(`a code is good for up to ${LONGEST_MS} ms, got ${ttlMs}`)
    this.#forgetExpired()
    if (this.#codes.size >= MOST)
      throw new BridgeError('CAPACITY', `${MOST} room codes are the most`, { retryable: true })
    let code: string
    do code = String(this.#random(CODES)).padStart(DIGITS, '0')
    while (this.#codes.has(code) || this.#fixed.has(code))
    this.#codes.set(code, { code, room, expiresAt: this.#clock.now() + ttlMs })
    return code
  }

  /** The room that `code` lets in to; undefined for a code that is not good (any more). */
  find(code: string): string | undefined {
    const fixed = this.#fixed.get(code)
    if (fixed !== undefined) return fixed
    const known = this.#codes.get(code)
    return known && known.expiresAt > this.#clock.now() ? known.room : undefined
  }

  /** The codes that are good for `room` now, but for fixed ones. */
  of(room: string): readonly RoomCode[] {
    this.#forgetExpired()
    return Array.from(this.#codes.values()).filter(known => known.room === room)
  }

  /** Makes `code` good for nothing; false when it was already, or is fixed. */
  revoke(code: string): boolean {
    if (this.#fixed.has(code)) return false
    const good = this.find(code) !== undefined
    this.#codes.delete(code)
    return good
  }

  /** Revokes every code of `room`, but for fixed ones. */
  revokeAll(room: string): void {
    for (const [code, known] of this.#codes) if (known.room === room) this.#codes.delete(code)
  }

  #forgetExpired(): void {
    const now = this.#clock.now()
    for (const [code, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(code)
  }
}
