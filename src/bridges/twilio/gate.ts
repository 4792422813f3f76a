import type { FastifyRequest } from 'fastify'
import { isFromThisMachine } from '../../guard/this-machine.ts'
import type { PublicUrl } from './public-url.ts'
import { type FormFields, isSigned } from './signature.ts'

/** Tells Twilio's requests from everybody else's. */
export interface Gate {
  /** A webhook, its body parsed. */
  webhook(request: FastifyRequest): boolean
  /** The upgrade of the media socket at `path`. */
  upgrade(request: FastifyRequest, path: string): boolean
}

/** Lets pass what is signed with one of the auth tokens for the public address. */
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
 * Lets pass what comes from this machine, unsigned. A tunnel or proxy on this machine would bring the whole world
 * with it, so requests that were forwarded, or that ask for another host than this one, are turned away as well.
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
