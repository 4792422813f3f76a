import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { guardedLookup, isWrittenLocal, type Resolve } from '../../net/guarded-lookup.ts'

/** One attempt to deliver an event. */
export interface Delivery {
  readonly url: string
  /** Whether the name may resolve to a private address. */
  readonly local: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Resolves to the HTTP status; rejects without a response, or on `signal`. */
export type Send = (delivery: Delivery, signal: AbortSignal) => Promise<number>

/**
 * Delivers by HTTP POST. Redirects are not followed and responses not read. A name may resolve to a private address
 * only if it is `localhost` or `local` is set; a literal address is the operator’s choice.
 */
export function httpSender(resolve?: Resolve): Send {
  return ({ url: text, local, headers, body }, signal) => {
    const url = new URL(text)
    const lookup = guardedLookup(local || isWrittenLocal(url), resolve)
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

/** With the system's name servers. */
export const sendByHttp: Send = httpSender()
