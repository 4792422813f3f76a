import { createHmac, randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isWrittenLocal, publicLookup, type Resolve } from '../../net/outbound-guard.ts'
import { keyOfSecret, SECRET_ALLOWED } from './secret.ts'
import type { WebhookEventType } from './settings.ts'

/** One attempt to deliver an event. */
export interface Delivery {
  readonly url: string
  /** True if the name is allowed to resolve to a private address. */
  readonly local: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Resolves to the HTTP status; rejects without a response, or on `signal`. */
export type Send = (delivery: Delivery, signal: AbortSignal) => Promise<number>

/**
 * Delivers by HTTP POST. Redirects are not followed and responses not read. A name can resolve to a private address
 * only if it is `localhost` or `local` is set; a literal address is the operator’s choice.
 */
export function httpSender(resolve?: Resolve): Send {
  return ({ url: text, local, headers, body }, signal) => {
    const url = new URL(text)
    const lookup = publicLookup(local || isWrittenLocal(url), resolve)
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    return new Promise((settle, fail) => {
      const sent = request(
        url,
        { method: 'POST', lookup, signal, agent: false, headers: { ...headers, ...length } },
        response => {
          settle(response.statusCode ?? 0)
          response.destroy()
        },
      )
      sent.on('error', fail)
      sent.end(body)
    })
  }
}

/** Sends with the system’s name servers. */
export const sendByHttp: Send = httpSender()

/** Header with the signature and time of a webhook. */
export const SIGNATURE_HEADER = 'dragoman-signature'

/**
 * `t=<seconds since 1970>,v1=<hex>`: HMAC-SHA256 with `secret` over `<seconds>.<body>`. The signature covers the time,
 * so that a receiver can reject replayed requests.
 */
export function signatureOf(secret: string, wallMs: number, body: string): string {
  const seconds = Math.floor(wallMs / 1000)
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

/**
 * Returns the headers of Standard Webhooks, so that its libraries can verify a delivery: `webhook-id`,
 * `webhook-timestamp` (seconds since 1970) and `webhook-signature`, `v1,<Base64>`: HMAC-SHA256 over
 * `<id>.<seconds>.<body>`. Their key is the secret decoded from Base64 after `whsec_`, or the bytes of any other
 * secret.
 *
 * Source: the Standard Webhooks specification, "Webhook metadata" and "Signature scheme".
 */
export function standardHeaders(
  secret: string,
  id: string,
  wallMs: number,
  body: string,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const seconds = Math.floor(wallMs / 1000)
  const key = keyOfSecret(secret)
  if (!key) throw new RangeError(`a secret must be ${SECRET_ALLOWED}`)
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${mac}` }
}

/** An event, with the data for all receivers. */
export interface WebhookEvent {
  readonly type: WebhookEventType
  readonly room: string
  /** ID of the room’s life, if it has one. */
  readonly life?: string
  /** ISO 8601. */
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
  /** Transcripts: only for receivers with `texts`. */
  readonly texts?: Readonly<Record<string, unknown>>
}

/** An event as sent to one receiver. */
export interface SealedEvent {
  /** The same in every attempt. */
  readonly id: string
  readonly type: WebhookEventType
  readonly room: string
  /** JSON. */
  readonly body: string
}

/** Serializes `event` for a receiver; `sequence` counts its events of the room, from 1. */
export function sealed(event: WebhookEvent, sequence: number, withTexts: boolean): SealedEvent {
  const { type, room, life, at, data, texts } = event
  const id = `evt_${randomBytes(12).toString('base64url')}`
  const body = JSON.stringify({
    id,
    type,
    at,
    room,
    life,
    sequence,
    data: withTexts ? { ...data, ...texts } : data,
  })
  return { id, type, room, body }
}
