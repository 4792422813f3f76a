import type { FastifyRequest } from 'fastify'
import { BridgeError } from '../../common/errors.ts'
import { sameSecret } from '../../common/secrets.ts'
import { isLocalRequest } from '../../net/client-address.ts'
import type { RequestVerifier } from './carrier.ts'

/** Throws `BridgeError` `CONFIG` unless `secrets` can verify requests to the bridge of `title`; `what` names one. */
export function assertSecrets(secrets: readonly string[], title: string, what: string): void {
  if (secrets.length === 0 || secrets.includes(''))
    throw new BridgeError(
      'CONFIG',
      `the ${title} bridge needs ${what}; set insecure: true to run without one`,
    )
}

/** Returns true if the request has the basic credentials `user` and `password` (RFC 7617). */
export function hasBasicCredentials(request: FastifyRequest, user: string, password: string): boolean {
  return hasAuthorization(request, basicAuthorization(user, password))
}

/** Returns true if the request has the bearer token `token` (RFC 6750). */
export function hasBearerToken(request: FastifyRequest, token: string): boolean {
  return hasAuthorization(request, `Bearer ${token}`)
}

/** Returns the value of the header `authorization` with basic credentials. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** The scheme is not case-sensitive (RFC 9110, 11.1). */
function hasAuthorization({ headers }: FastifyRequest, right: string): boolean {
  const given = (headers.authorization ?? '').replace(/^\w+/, scheme => scheme.toLowerCase())
  return sameSecret(
    given,
    right.replace(/^\w+/, scheme => scheme.toLowerCase()),
  )
}

/**
 * Accepts unsigned requests from this machine. Forwarded requests and requests for other hosts are rejected, because
 * a local tunnel or proxy would admit the whole Internet.
 */
export class LocalOnlyVerifier implements RequestVerifier {
  webhook(request: FastifyRequest): boolean {
    return isLocalRequest(request.raw)
  }

  upgrade(request: FastifyRequest): boolean {
    return this.webhook(request)
  }
}
