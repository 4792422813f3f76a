import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../common/clock.ts'
import { FailureLimiter, TokenBucket } from '../../common/rate-limit.ts'
import { keyDigest } from '../../common/secrets.ts'
import { addressPrefix } from '../../net/client-address.ts'
import { SERVER_LIMITS } from '../../net/server-limits.ts'
import type { LinkTokens } from '../captions/caption-links.ts'
import type { ControlContext } from './control-context.ts'
import { ControlError } from './errors.ts'
import type { LinkBearer } from './link-readers.ts'
import type { ControlSettings } from './settings.ts'

/** Requests per key and minute: programs that poll stay far below, and loops by mistake are slowed down. */
const REQUESTS_PER_MINUTE = 600
/** Burst of requests per key: those of 10 s. */
const BURST_SECONDS = 10
const LEAST_BURST = 20

interface KnownKey {
  readonly name: string
  readonly digest: Buffer
  readonly rate: TokenBucket
}

export interface BearerKeysOptions {
  /** Current number of nodes, among which the rate of a key is divided. Default: 1. */
  readonly nodes?: () => number
  /** Requests per key and minute. Default: 600. */
  readonly requestsPerMinute?: number
  /** Wrong keys per address and minute. Default: 10. */
  readonly maxAttemptsPerMinute?: number
}

/**
 * The keys of the control API, stored as digests. A key is compared with all of them in constant time. After too many
 * wrong keys, an address must wait; valid keys are still accepted, because keys cannot be guessed.
 */
export class BearerKeys {
  readonly #clock: Clock
  readonly #nodes: () => number
  readonly #known: readonly KnownKey[]
  readonly #attempts: FailureLimiter

  constructor(
    { keys }: Pick<ControlSettings, 'keys'>,
    clock: Clock,
    {
      nodes = () => 1,
      requestsPerMinute = REQUESTS_PER_MINUTE,
      maxAttemptsPerMinute = SERVER_LIMITS.maxAttemptsPerMinute,
    }: BearerKeysOptions = {},
  ) {
    this.#clock = clock
    this.#nodes = nodes
    this.#attempts = new FailureLimiter(clock, maxAttemptsPerMinute)
    const perSecond = requestsPerMinute / 60
    const burst = Math.max(LEAST_BURST, perSecond * BURST_SECONDS)
    this.#known = keys.map(({ name, key }) => ({
      name,
      digest: keyDigest(key),
      rate: new TokenBucket(perSecond, burst, clock.now()),
    }))
  }

  /**
   * Returns the name of the key in the `authorization` header of a request from `address`. Throws `key_missing`,
   * `key_wrong`, `too_many_attempts` or `too_many_requests`.
   */
  holderOf(authorization: string | undefined, address: string): string {
    const given = bearerToken(authorization)
    if (given === undefined) throw missing()
    const asked = keyDigest(given)
    let holder: KnownKey | undefined
    for (const known of this.#known) if (timingSafeEqual(known.digest, asked)) holder = known
    if (!holder) throw this.refused(address)
    // A node that gets one of n requests may accept as many as if each took n of the common rate.
    if (holder.rate.take(this.#clock.now(), Math.max(1, this.#nodes())) >= 0) return holder.name
    throw new ControlError('too_many_requests', undefined, { 'retry-after': '1' })
  }

  /** Counts a wrong key or link of `address` and returns its error. */
  refused(address: string): ControlError {
    const group = addressPrefix(address)
    const waitMs = this.#attempts.waitMs(group)
    if (waitMs > 0)
      return new ControlError('too_many_attempts', undefined, {
        'retry-after': `${Math.ceil(waitMs / 1000)}`,
      })
    this.#attempts.failed(group)
    return new ControlError('key_wrong', undefined, { 'www-authenticate': 'Bearer error="invalid_token"' })
  }
}

function bearerToken(authorization = ''): string | undefined {
  return /^Bearer (\S{1,1024})$/i.exec(authorization.trim())?.[1]
}

function missing(): ControlError {
  return new ControlError('key_missing', undefined, { 'www-authenticate': 'Bearer' })
}

/**
 * Returns the valid token by which `request` wants to read `room`: from the `authorization` header, which keeps it out
 * of URLs and logs, or from `token` in the query, for clients that cannot send headers.
 */
export function linkOf(
  { headers, query }: Pick<FastifyRequest, 'headers' | 'query'>,
  room: string | undefined,
  links: LinkTokens,
): string | undefined {
  const { token } = query as { token?: unknown }
  const given = headers.authorization === undefined ? token : bearerToken(headers.authorization)
  return room !== undefined && typeof given === 'string' && links.allows(given, room) ? given : undefined
}

/** Throws `key_wrong` if `token` belongs to an earlier life of `room`. Without a token, the client has a key. */
export function assertLinkOpens(
  { links }: Pick<ControlContext, 'links'>,
  room: string,
  token: string | undefined,
): void {
  if (token !== undefined && !links.opens(token, room))
    throw new ControlError('key_wrong', undefined, { 'www-authenticate': 'Bearer error="invalid_token"' })
}

/** Returns the client whose link `request` uses for `room`; undefined for a client with a key. */
export function bearerOf(
  request: Pick<FastifyRequest, 'headers' | 'query' | 'ip'>,
  room: string,
  { links, groupOf }: Pick<ControlContext, 'links' | 'groupOf'>,
): LinkBearer | undefined {
  const token = linkOf(request, room, links)
  if (token === undefined) return undefined
  const link = links.idOf(token, room)
  return link === undefined ? undefined : { room, token, link, group: groupOf(request.ip) }
}
