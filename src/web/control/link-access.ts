import type { FastifyRequest } from 'fastify'
import type { LinkTokens } from '../captions/link-token.ts'
import type { Floor } from './control-context.ts'
import { ControlError } from './control-error.ts'
import type { LinkBearer } from './link-readers.ts'

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
  const given =
    headers.authorization === undefined
      ? token
      : /^Bearer (\S{1,1024})$/i.exec(headers.authorization.trim())?.[1]
  return room !== undefined && typeof given === 'string' && links.allows(given, room) ? given : undefined
}

/** Throws `key_wrong` if `token` belongs to an earlier life of `room`. Without a token, the client has a key. */
export function assertLinkOpens(
  { links }: Pick<Floor, 'links'>,
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
  { links, groupOf }: Pick<Floor, 'links' | 'groupOf'>,
): LinkBearer | undefined {
  const token = linkOf(request, room, links)
  return token === undefined ? undefined : { room, token, group: groupOf(request.ip) }
}
