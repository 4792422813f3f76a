import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { WallClock } from '../../core/wall-clock.ts'

/** What a link lets its bearer read. */
interface Grant {
  readonly room: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/**
 * Makes and checks the tokens of links to one room's captions: for a page that must not have a key. Signed with a secret
 * of this run, so they end with it. A token says nothing that its bearer may not know, and opens nothing else.
 */
export class LinkTokens {
  readonly #wall: WallClock
  readonly #secret = randomBytes(32)

  constructor(wall: WallClock) {
    this.#wall = wall
  }

  /** A token for the captions of `room`, good for `ttlMs`. */
  issue(room: string, ttlMs: number): { readonly token: string; readonly until: number } {
    const until = Math.round(this.#wall() + ttlMs)
    const grant = Buffer.from(JSON.stringify({ room, until } satisfies Grant)).toString('base64url')
    return { token: `${grant}.${this.#sign(grant).toString('base64url')}`, until }
  }

  /** Whether `token` lets its bearer read the captions of `room` now. */
  allows(token: string, room: string): boolean {
    const [grant = '', signature = '', ...rest] = token.split('.')
    if (rest.length > 0) return false
    const given = Buffer.from(signature, 'base64url')
    const right = this.#sign(grant)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return false
    const { room: granted, until } = JSON.parse(Buffer.from(grant, 'base64url').toString()) as Grant
    return granted === room && this.#wall() < until
  }

  #sign(grant: string): Buffer {
    return createHmac('sha256', this.#secret).update(grant).digest()
  }
}
