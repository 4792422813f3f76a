import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AddressRefused, guardedLookup, isWrittenLocal } from '../../guard/guarded-lookup.ts'

/** What a receiver of webhooks answers to a HEAD; `local`: its name leads where webhooks are not sent; undefined: nothing. */
export type ReceiverAnswer = number | 'local' | undefined

/** Asks a receiver by the way that webhooks go, without sending it anything: no redirects, no names of local addresses. */
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
