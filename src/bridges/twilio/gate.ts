import type { FastifyRequest } from 'fastify'
import { isFromThisMachine } from '../../net/this-machine.ts'
import type { PublicUrl } from '../telephony/public-url.ts'
import { type FormFields, isSigned } from './signature.ts'

/** Verifies that requests come from Twilio. */
export interface Gate {
  /** Verifies a webhook with its parsed body. */
  webhook(request: FastifyRequest): boolean
  /** Verifies the upgrade of the media socket at `path`. */
  upgrade(request: FastifyRequest, path: string): boolean
}

/** Accepts requests signed with one of the auth tokens for the public address. */
export class SignatureGate implements Gate {
  readonly #authTokens: readonly string[]
  readonly #publicUrl: () => PublicUrl

  constructor(authTokens: readonly string[], publicUrl: () => PublicUrl) {
    this.#authTokens = authTokens
    this.#publicUrl = publicUrl
  }

  webhook(request: FastifyRequest): boolean {
    const urls = this.#publicUrl().signedHttp(request.originalUrl)
    return isSigned(signatureOf(request), this.#authTokens, urls, (request.body ?? {}) as FormFields)
  }

  upgrade(request: FastifyRequest, path: string): boolean {
    return isSigned(signatureOf(request), this.#authTokens, this.#publicUrl().signedWs(path))
  }
}

/**
 * Accepts unsigned requests from this machine. Forwarded requests and requests for other hosts are rejected, because
 * a local tunnel or proxy would admit the whole Internet.
 */
export class LoopbackGate implements Gate {
  webhook(request: FastifyRequest): boolean {
    return isFromThisMachine(request.raw)
  }

  upgrade(request: FastifyRequest): boolean {
    return this.webhook(request)
  }
}

function signatureOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-twilio-signature']
  return typeof header === 'string' ? header : undefined
}
