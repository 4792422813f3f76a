import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AddressRefused, guardedLookup, isWrittenLocal } from '../../net/guarded-lookup.ts'

/**
 * Status of a webhook receiver’s response to HEAD; `local`: its name resolves to a private address, to which webhooks
 * are not sent; undefined: no response.
 */
export type ReceiverAnswer = number | 'local' | undefined

/** Probes a receiver like webhooks do, without sending an event: no redirects, no names with private addresses. */
export function probeReceiver(address: string, local: boolean, withinMs: number): Promise<ReceiverAnswer> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const lookup = guardedLookup(local || isWrittenLocal(url))
  const signal = AbortSignal.timeout(withinMs)
  return new Promise(resolve => {
    const sent = request(url, { method: 'HEAD', lookup, signal, agent: false }, response => {
      resolve(response.statusCode)
      response.destroy()
    })
    sent.on('error', error => resolve(error instanceof AddressRefused ? 'local' : undefined))
    sent.end()
  })
}
