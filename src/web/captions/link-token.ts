import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { WallClock } from '../../core/wall-clock.ts'

/** What a link lets its bearer read. */
interface Grant {
  readonly room: string
  /** When it was made, and until when it is good: milliseconds since 1970. */
  readonly from: number
  readonly until: number
  /** Tokens are numbered, so that those before a moment can be revoked. */
  readonly number: number
}

/** No token is good for longer (ms). */
export const LONGEST_LINK_MS = 24 * 3_600_000
/** 32 bytes in base64url. */
const SIGNATURE = /^[\w-]{43}$/

/**
 * Makes and checks the tokens of links to one room's captions: for a page that must not have a key. Signed with a secret
 * of this run, so they end with it. A token says nothing that its bearer may not know, and opens nothing else.
 */
export class LinkTokens {
  readonly #wall: WallClock
  readonly #secret = randomBytes(32)
  /** By room, the number up to which its tokens are revoked, and when the last of them would end by itself. */
  readonly #revoked = new Map<string, { readonly upTo: number; readonly until: number }>()
  readonly #listeners = new Set<(room: string) => void>()
  #count = 0

  constructor(wall: WallClock) {
    this.#wall = wall
  }

  /** A token for the captions of `room`, good for `ttlMs` (at most `LONGEST_LINK_MS`). */
  issue(room: string, ttlMs: number): { readonly token: string; readonly until: number } {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_LINK_MS))
      throw new RangeError(`a link is good for up to ${LONGEST_LINK_MS} ms, got ${ttlMs}`)
    const from = Math.round(this.#wall())
    const until = Math.round(from + ttlMs)
    const said: Grant = { room, from, until, number: ++this.#count }
    const grant = Buffer.from(JSON.stringify(said)).toString('base64url')
    return { token: `${grant}.${this.#sign(grant).toString('base64url')}`, until }
  }

  /** Whether `token` lets its bearer read the captions of `room` now. */
  allows(token: string, room: string): boolean {
    return this.leftMs(token, room) > 0
  }

  /** For how long `token` still lets its bearer read the captions of `room`, unless it is revoked (ms); 0: not at all. */
  leftMs(token: string, room: string): number {
    const { until = 0 } = this.#grantOf(token, room) ?? {}
    return Math.max(0, until - this.#wall())
  }

  /** When `token`, which is good for `room` now, was made (ms since 1970); undefined for one that is not. */
  madeAt(token: string, room: string): number | undefined {
    return this.allows(token, room) ? this.#grantOf(token, room)?.from : undefined
  }

  /** What `token` says of `room`, whenever; undefined for one that we did not make, or that is revoked. */
  #grantOf(token: string, room: string): Grant | undefined {
    const [grant = '', signature = '', ...rest] = token.split('.')
    // Decoding would pass over anything that is no letter of base64.
    if (rest.length > 0 || !SIGNATURE.test(signature)) return undefined
    const given = Buffer.from(signature, 'base64url')
    const right = this.#sign(grant)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
    const said = JSON.parse(Buffer.from(grant, 'base64url').toString()) as Grant
    const revoked = said.number <= (this.#revoked.get(room)?.upTo ?? 0)
    return said.room !== room || revoked ? undefined : said
  }

  /** No token of `room` that was made so far is good any more. */
  revoke(room: string): void {
    const now = this.#wall()
    for (const [name, { until }] of this.#revoked) if (until <= now) this.#revoked.delete(name)
    this.#revoked.set(room, { upTo: this.#count, until: now + LONGEST_LINK_MS })
    for (const listener of this.#listeners) listener(room)
  }

  /** Calls `listener` with the room whose tokens are revoked; disposing stops it. */
  onRevoked(listener: (room: string) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  #sign(grant: string): Buffer {
    return createHmac('sha256', this.#secret).update(grant).digest()
  }
}
