import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { BridgeError } from '../../common/errors.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { RoomLives } from '../../core/calls/room-lifetimes.ts'
import { PAGE_HEADERS, pageDocument } from '../../pages/page-document.ts'

/** Returns the path of the caption page of `room` with `token` after `#`, a part that browsers never send. */
export function captionPagePath(room: string, token?: string): string {
  return `/captions/${encodeURIComponent(room)}${token === undefined ? '' : `#token=${token}`}`
}

/**
 * `GET /captions/<room>`: the captions of a room, for projecting or sharing; `GET /captions` asks for the room. The
 * document is the same for every room and reader: its content comes from the control API, with the reader’s link or
 * key.
 */
export async function captionPage(app: FastifyInstance): Promise<void> {
  const page = pageDocument({
    title: 'Captions · Dragoman',
    module: 'web/captions/page/captions',
    styles: ['web/captions/page/captions.css'],
    body: 'web/captions/page/captions.html',
  })
  for (const path of ['/captions', '/captions/:room'])
    app.get(path, (_request, reply) => reply.headers(PAGE_HEADERS).send(page))
}

/** Permission of a link. */
interface Grant {
  readonly room: string
  /** The life of the room for which it is valid. */
  readonly life: string
  /** Creation and expiry: milliseconds since 1970. */
  readonly from: number
  readonly until: number
  /** Tokens are numbered, so that those before a moment can be revoked. */
  readonly number: number
}

/** Maximum lifetime of a token (ms). */
export const LONGEST_LINK_MS = 24 * 3_600_000
/** 32 bytes in base64url. */
const SIGNATURE = /^[\w-]{43}$/

/**
 * Creates and verifies the tokens of links to one room’s captions, for pages that must not have a key. They are signed
 * with a secret of this run, so they end with it, like all rooms. A token is valid for one life of the room, not for a
 * later room of the same name. It reveals nothing to its bearer and grants no other access.
 */
export class LinkTokens {
  readonly #wall: WallClock
  readonly #lives: Pick<RoomLives, 'idOf' | 'holds'>
  readonly #secret = randomBytes(32)
  /** By room: the highest revoked number, and when the last of those tokens would expire. */
  readonly #revoked = new Map<string, { readonly upTo: number; readonly until: number }>()
  readonly #listeners = new Set<(room: string) => void>()
  #count = 0

  constructor(wall: WallClock, lives: Pick<RoomLives, 'idOf' | 'holds'>) {
    this.#wall = wall
    this.#lives = lives
  }

  /**
   * Creates a token for the captions of `room`, valid for `ttlMs` (at most `LONGEST_LINK_MS`). Throws `BridgeError`
   * `STATE` if the room does not exist or is closing.
   */
  issue(room: string, ttlMs: number): { readonly token: string; readonly until: number } {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_LINK_MS))
      throw new RangeError(`a link is valid for up to ${LONGEST_LINK_MS} ms, got ${ttlMs}`)
    const life = this.#lives.idOf(room)
    if (life === undefined) throw new BridgeError('STATE', 'the room does not exist, or is closing')
    const from = Math.round(this.#wall())
    const until = Math.round(from + ttlMs)
    const said: Grant = { room, life, from, until, number: ++this.#count }
    const grant = Buffer.from(JSON.stringify(said)).toString('base64url')
    return { token: `${grant}.${this.#sign(grant).toString('base64url')}`, until }
  }

  /** Returns true if `token` currently gives access to the captions and transcript of `room`. */
  opens(token: string, room: string): boolean {
    return this.allows(token, room) && this.#grantOf(token, room)?.life === this.#lives.idOf(room)
  }

  /** Returns true if `token` gives access to the transcript with this ID: that of its own life, even after it ended. */
  opensTranscript(token: string, room: string, transcript: string): boolean {
    const life = this.allows(token, room) ? this.#grantOf(token, room)?.life : undefined
    return life !== undefined && this.#lives.holds(life, transcript)
  }

  /** Returns true if `token` was issued for any life of `room` and has not expired. */
  allows(token: string, room: string): boolean {
    return this.leftMs(token, room) > 0
  }

  /** Remaining time for reading the captions of `room` with `token`, unless it is revoked (ms); 0: none. */
  leftMs(token: string, room: string): number {
    const { until = 0 } = this.#grantOf(token, room) ?? {}
    return Math.max(0, until - this.#wall())
  }

  /** Returns when `token`, valid for `room` now, was created (ms since 1970); undefined if it is invalid. */
  madeAt(token: string, room: string): number | undefined {
    return this.allows(token, room) ? this.#grantOf(token, room)?.from : undefined
  }

  /**
   * Returns the permission of `token` for `room`, expired or not; undefined if it was not issued here or is revoked.
   */
  #grantOf(token: string, room: string): Grant | undefined {
    const [grant = '', signature = '', ...rest] = token.split('.')
    // Decoding would ignore characters outside the base64 alphabet.
    if (rest.length > 0 || !SIGNATURE.test(signature)) return undefined
    const given = Buffer.from(signature, 'base64url')
    const right = this.#sign(grant)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
    const said = JSON.parse(Buffer.from(grant, 'base64url').toString()) as Grant
    const revoked = said.number <= (this.#revoked.get(room)?.upTo ?? 0)
    return said.room !== room || revoked ? undefined : said
  }

  /** Revokes all tokens of `room` created so far. */
  revoke(room: string): void {
    const now = this.#wall()
    for (const [name, { until }] of this.#revoked) if (until <= now) this.#revoked.delete(name)
    this.#revoked.set(room, { upTo: this.#count, until: now + LONGEST_LINK_MS })
    for (const listener of this.#listeners) listener(room)
  }

  /** Calls `listener` with the room whose tokens are revoked; disposing unsubscribes. */
  onRevoked(listener: (room: string) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  #sign(grant: string): Buffer {
    return createHmac('sha256', this.#secret).update(grant).digest()
  }
}
