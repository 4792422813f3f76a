import type { FastifyRequest } from 'fastify'
import { isLocalRequest } from '../../../net/client-address.ts'
import type { WebhookCall } from '../incoming-call.ts'
import type { PublicUrl } from '../public-url.ts'

/**
 * The call of a webhook. `callId` was checked for characters and length, because it is logged and part
 * of keys. Everything else is content of the caller or unchecked.
 */
export interface CarrierRequest extends Omit<WebhookCall, 'parameters' | 'query' | 'answers'> {
  /** All fields of the request, first values, in an object without prototype. */
  readonly fields: Readonly<Record<string, string>>
}

/** Names and descriptions of fields, for the host’s OpenAPI document. */
export type FieldWords = Readonly<Record<string, string>>

/** Reads a carrier’s webhooks, which are all POST. */
export interface CarrierRequests {
  /**
   * Media type of the body: a form arrives parsed, as fields; anything else as text, which signatures can cover.
   * Requests of other types are rejected.
   */
  readonly contentType: 'application/x-www-form-urlencoded' | 'application/json'
  /** A form arrives as text, too. */
  readonly raw?: true
  /** Returns undefined if the request has no call. Must not throw. Called after the request was verified. */
  read(request: FastifyRequest): CarrierRequest | undefined
  /** Documented fields: of all webhooks, and in addition those of menus and machine detection. */
  readonly words?: { readonly call: FieldWords; readonly digits: FieldWords; readonly answeredBy: FieldWords }
}

/** Verifies that requests come from the carrier. */
export interface RequestVerifier {
  /** Verifies a webhook with its body. */
  webhook(request: FastifyRequest): boolean
  /** Verifies the upgrade of the media socket at `path`. A single-use token in `start` protects streams as well. */
  upgrade(request: FastifyRequest, path: string): boolean
}

/** Makes the verifier for the bridge’s public address. Throws `BridgeError` `CONFIG` without credentials. */
export type VerifierFactory = (publicUrl: () => PublicUrl) => RequestVerifier

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
