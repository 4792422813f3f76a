import type { FastifyRequest } from 'fastify'
import type { LinkTokens } from '../captions/link-token.ts'
import { ControlError } from './control-error.ts'
import type { Floor } from './floor.ts'
import type { LinkBearer } from './link-readers.ts'

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

/** The bearer of the link by which `request` reads `room`; undefined for somebody with a key. */
export function bearerOf(
  request: Pick<FastifyRequest, 'headers' | 'query' | 'ip'>,
  room: string,
  { links, groupOf }: Pick<Floor, 'links' | 'groupOf'>,
): LinkBearer | undefined {
  const token = linkOf(request, room, links)
  return token === undefined ? undefined : { room, token, group: groupOf(request.ip) }
}
