import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { TokenBucket } from '../../core/token-bucket.ts'
import type { LinkTokens } from '../captions/link-token.ts'
import { ControlError } from './control-error.ts'
import type { Floor } from './floor.ts'

/** Transcripts that the links of one room may fetch: some at once, for many who look at the same end of a room. */
const BURST = 60
const PER_SECOND = 1
/** Rooms whose rates are remembered; beyond that the one that was asked for longest ago begins anew. */
const MOST_ROOMS = 1_000

/**
 * The token by which `request` wants to read `room`, if it is good: in the header `authorization` as a key is, so that it
 * is in no address and no log, or as `token` in the query, for those who cannot send headers.
 */
export function linkOf(
  { headers, query }: Pick<FastifyRequest, 'headers' | 'query'>,
  room: string | undefined,
  links: LinkTokens,
): string | undefined {
  const { token } = query as { token?: unknown }
  const given =
    headers.authorization === undefined
      ? token
      : /^Bearer (\S{1,1024})$/i.exec(headers.authorization.trim())?.[1]
  return room !== undefined && typeof given === 'string' && links.allows(given, room) ? given : undefined
}

/** Throws `key_wrong` when `token` is of a former life of `room`; without a token somebody has a key. */
export function assertLinkOpens(
  { links }: Pick<Floor, 'links'>,
  room: string,
  token: string | undefined,
): void {
  if (token !== undefined && !links.opens(token, room))
    throw new ControlError('key_wrong', undefined, { 'www-authenticate': 'Bearer error="invalid_token"' })
}

/** How often the bearers of a room's links may ask for what is costly to make: all of them together. */
export class LinkRates {
  readonly #clock: Clock
  readonly #rooms = new Map<string, TokenBucket>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether one more may be made for `room` now. */
  take(room: string): boolean {
    const now = this.#clock.now()
    const bucket = this.#rooms.get(room) ?? new TokenBucket(PER_SECOND, BURST, now)
    this.#rooms.delete(room)
    if (this.#rooms.size >= MOST_ROOMS) this.#rooms.delete(this.#rooms.keys().next().value!)
    this.#rooms.set(room, bucket)
    return bucket.take(now) >= 0
  }
}
