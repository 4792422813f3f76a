import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { sameSecret } from '../../common/secrets.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { RoomLives } from '../../core/calls/room-lifetimes.ts'
import type { Fleet, Table } from '../../core/model/fleet.ts'
import { localizedPage, PAGE_HEADERS } from '../../pages/page-document.ts'
import type { SharedLives } from './shared-lives.ts'

/** Permission of a link. */
interface Grant {
  readonly room: string
  /** The life of the room for which it is valid. */
  readonly life: string
  /** Creation and expiry: milliseconds since 1970. */
  readonly from: number
  readonly until: number
  /** The run that issued it, which numbers its tokens: those issued in the millisecond of a revocation stay distinct. */
  readonly by: string
  readonly number: number
}

/** Tokens of a room issued before this time are revoked (ms since 1970). */
const markSchema = z.object({ before: z.number() })
const heardSchema = z.object({ room: z.string(), before: z.number() })

/** Revocations of a room. */
interface Revoked {
  /** The highest revoked number of this run. */
  readonly upTo: number
  /** Tokens of other runs up to this time are revoked by this one (ms since 1970)… */
  readonly here: number
  /** … and all tokens up to this one, by another node. */
  readonly elsewhere: number
  /** Expiry of the last of those tokens. */
  readonly until: number
}

const NEVER: Revoked = { upTo: 0, here: 0, elsewhere: 0, until: 0 }
/** Subject on which nodes tell each other of revocations. */
const SUBJECT = 'caption links revoked'

/** Maximum lifetime of a token (ms). */
export const LONGEST_CAPTION_LINK_MS = 24 * 3_600_000
/**
 * Creates and verifies the tokens of links to one room’s captions, for pages that must not have a key. They are signed
 * with a secret of the fleet or of its state file, and so survive a restart; without one, with a secret of this run. A token is valid
 * for one life of the room, not for a later room of the same name. It reveals nothing to its bearer and grants no other
 * access.
 */
export class LinkTokens implements Disposable {
  readonly #wall: WallClock
  readonly #lives: Pick<RoomLives, 'idOf' | 'is' | 'holds'>
  readonly #secret: Buffer
  readonly #fleet: Fleet | undefined
  readonly #shared: Pick<SharedLives, 'publish' | 'learn'> | undefined
  readonly #marks: Table<z.infer<typeof markSchema>> | undefined
  readonly #hearing: Disposable | undefined
  readonly #run = randomBytes(6).toString('base64url')
  readonly #revoked = new Map<string, Revoked>()
  readonly #listeners = new Set<(room: string) => void>()
  #count = 0

  /** With `fleet`, tokens are valid on all its nodes and after a restart, and `shared` tells about the lives of rooms there. */
  constructor(
    wall: WallClock,
    lives: Pick<RoomLives, 'idOf' | 'is' | 'holds'>,
    fleet?: Fleet,
    shared?: Pick<SharedLives, 'publish' | 'learn'>,
  ) {
    this.#shared = shared
    this.#wall = wall
    this.#lives = lives
    this.#fleet = fleet
    this.#secret = fleet ? Buffer.from(fleet.digest('the secret of caption links')) : randomBytes(32)
    this.#marks = fleet?.table('day', 'revoked caption links', markSchema)
    this.#hearing = fleet?.exchange.hear(SUBJECT, heardSchema, ({ room, before }) =>
      this.#revokedElsewhere(room, before),
    )
  }

  /**
   * Creates a token for the captions of `room`, valid for `ttlMs` (at most `LONGEST_CAPTION_LINK_MS`). Throws `BridgeError`
   * `STATE` if the room does not exist or is closing.
   */
  issue(room: string, ttlMs: number): { readonly token: string; readonly until: number } {
    if (!(ttlMs > 0 && ttlMs <= LONGEST_CAPTION_LINK_MS))
      throw new RangeError(`a link is valid for up to ${LONGEST_CAPTION_LINK_MS} ms, got ${ttlMs}`)
    const life = this.#lives.idOf(room)
    if (life === undefined) throw new BridgeError('STATE', 'the room does not exist, or is closing')
    this.#shared?.publish(room)
    const from = Math.round(this.#wall())
    const until = Math.round(from + ttlMs)
    const said: Grant = { room, life, from, until, by: this.#run, number: ++this.#count }
    const grant = Buffer.from(JSON.stringify(said)).toString('base64url')
    return { token: `${grant}.${this.#sign(grant)}`, until }
  }

  /** Returns true if `token` currently gives access to the captions and transcript of `room`. */
  opens(token: string, room: string): boolean {
    const life = this.allows(token, room) ? this.#grantOf(token, room)?.life : undefined
    return life !== undefined && this.#lives.is(room, life)
  }

  /** Returns true if `token` gives access to the transcript with this ID: the transcript of its life, even after that ended. */
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

  /** Returns the identity of the link whose valid token for `room` this is, for limits; undefined if it is invalid. */
  idOf(token: string, room: string): string | undefined {
    if (!this.allows(token, room)) return undefined
    const { by, number } = this.#grantOf(token, room) ?? {}
    return `${by} ${number}`
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
    if (rest.length > 0) return undefined
    // Compared as text: base64url has spare bits, so several texts decode to the same signature.
    if (!sameSecret(signature, this.#sign(grant))) return undefined
    const said = JSON.parse(Buffer.from(grant, 'base64url').toString()) as Grant
    const { upTo, here, elsewhere } = this.#revoked.get(room) ?? NEVER
    const revoked = said.by === this.#run ? said.number <= upTo : said.from <= here
    return said.room !== room || revoked || said.from <= elsewhere ? undefined : said
  }

  /** Revokes all tokens of `room` created so far, on all nodes. Rejects with `FLEET_AWAY`; here they are revoked then too. */
  async revoke(room: string): Promise<void> {
    const before = Math.round(this.#wall())
    this.#mark(room, { ...(this.#revoked.get(room) ?? NEVER), upTo: this.#count, here: before })
    this.#fleet?.exchange.tell(SUBJECT, { room, before })
    await this.#marks?.put(this.#fleet?.digest(room) ?? '', { before })
  }

  /** Reads what other nodes know of `room`: its lives, and what was revoked. Call it before a token is checked. Rejects with `FLEET_AWAY`. */
  async learn(room: string): Promise<void> {
    const [mark] = await Promise.all([
      this.#marks?.get(this.#fleet?.digest(room) ?? ''),
      this.#shared?.learn(room),
    ])
    if (mark) this.#revokedElsewhere(room, mark.value.before)
  }

  [Symbol.dispose](): void {
    this.#hearing?.[Symbol.dispose]()
  }

  #revokedElsewhere(room: string, before: number): void {
    const known = this.#revoked.get(room) ?? NEVER
    // The mark can be our own.
    if (before > Math.max(known.here, known.elsewhere)) this.#mark(room, { ...known, elsewhere: before })
  }

  #mark(room: string, revoked: Revoked): void {
    const now = this.#wall()
    for (const [name, { until }] of this.#revoked) if (until <= now) this.#revoked.delete(name)
    this.#revoked.set(room, { ...revoked, until: now + LONGEST_CAPTION_LINK_MS })
    for (const listener of this.#listeners) listener(room)
  }

  /** Calls `listener` with the room whose tokens are revoked; disposing unsubscribes. */
  onRevoked(listener: (room: string) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  #sign(grant: string): string {
    return createHmac('sha256', this.#secret).update(grant).digest('base64url')
  }
}

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
  const page = localizedPage({
    part: 'captions',
    module: 'web/captions/page/captions',
    styles: ['web/captions/page/captions.css'],
    body: 'web/captions/page/captions.html',
  })
  for (const path of ['/captions', '/captions/:room'])
    app.get(path, ({ headers }, reply) =>
      reply.headers({ ...PAGE_HEADERS, vary: 'accept-language' }).send(page(headers['accept-language'])),
    )
}
