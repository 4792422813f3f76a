import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { BridgeError } from '../../core/errors.ts'
import type { RoomLives } from '../../core/room-lives.ts'
import type { WallClock } from '../../core/wall-clock.ts'

/** What a link lets its bearer read. */
interface Grant {
  readonly room: string
  /** The life of the room that it is for. */
  readonly life: string
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
 * of this run, so they end with it, as all rooms do. A token belongs to one life of the room: a later room of the same name is
 * none of its business. It says nothing that its bearer may not know, and opens nothing else.
 */
export class LinkTokens {
  readonly #wall: WallClock
  readonly #lives: Pick<RoomLives, 'idOf' | 'holds'>
  readonly #secret = randomBytes(32)
  /** By room, the number up to which its tokens are revoked, and when the last of them would end by itself. */
  readonly #revoked = new Map<string, { readonly upTo: number; readonly until: number }>()
  readonly #listeners = new Set<(room: string) => void>()
  #count = 0

  constructor(wall: WallClock, lives: Pick<RoomLives, 'idOf' | 'holds'>) {
    this.#wall = wall
    this.#lives = lives
  }

  /**
   * A token for the captions of `room`, good for `ttlMs` (at most `LONGEST_LINK_MS`). Throws `BridgeError` `STATE` for a room that
   * is not there, or is being closed.
   */
  issue(room: string, ttlMs: number): { readonly token: string; readonly until: number } {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_LINK_MS))
      throw new RangeError(`a link is good for up to ${LONGEST_LINK_MS} ms, got ${ttlMs}`)
    const life = this.#lives.idOf(room)
    if (life === undefined) throw new BridgeError('STATE', 'the room is not there, or is being closed')
    const from = Math.round(this.#wall())
    const until = Math.round(from + ttlMs)
    const said: Grant = { room, life, from, until, number: ++this.#count }
    const grant = Buffer.from(JSON.stringify(said)).toString('base64url')
    return { token: `${grant}.${this.#sign(grant).toString('base64url')}`, until }
  }

  /** Whether `token` opens the captions of `room`, and what is said in it, now. */
  opens(token: string, room: string): boolean {
    return this.allows(token, room) && this.#grantOf(token, room)?.life === this.#lives.idOf(room)
  }

  /** Whether `token` opens the transcript of this id: one of the life that it is for, also once that has ended. */
  opensTranscript(token: string, room: string, transcript: string): boolean {
    const life = this.allows(token, room) ? this.#grantOf(token, room)?.life : undefined
    return life !== undefined && this.#lives.holds(life, transcript)
  }

  /** Whether `token` is one of ours for `room`, of whichever life, and its time is not over. */
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
