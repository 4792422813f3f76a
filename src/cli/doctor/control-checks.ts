import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Config } from '../../app/settings/load.ts'
import { reachableUrl } from '../../net/client-address.ts'
import { isWrittenLocal, PrivateAddressError, publicLookup } from '../../net/outbound-guard.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { isDragoman, statusOf } from './requests.ts'

/** Checks the keys of the control API and the webhook receivers. Never shows keys, secrets or addresses. */
export async function controlChecks(config: Config): Promise<Check[]> {
  return await Promise.all([
    controlCheck(config),
    ...config.webhooks.map((each, at) => webhookCheck(each.name ?? `${at + 1}`, each)),
  ])
}

/** Checks whether a running server accepts the keys. */
async function controlCheck(config: Config): Promise<Check> {
  const name = 'control API'
  const { keys } = config.control
  if (keys.length === 0) return ok(name, 'disabled: no key in control.keys')
  const names = keys.map(each => each.name).join(', ')
  const server = reachableUrl(config.host, config.port)
  if (config.port === 0 || !(await isDragoman(server)))
    return ok(name, `ready for ${names} once the server runs`)
  for (const { name: holder, key } of keys)
    if ((await statusOf(`${server}/v1/webhooks`, key)) !== 200)
      return warn(name, `the running server does not accept the key of ${holder}`, 'restart it')
  return ok(name, `ready for ${names}`)
}

/** Checks whether a receiver responds. Sends no event, since a fake one could cause harm. */
async function webhookCheck(
  title: string,
  { url, includeTexts, allowPrivateAddresses: local }: Config['webhooks'][number],
): Promise<Check> {
  const name = `webhook ${title}`
  const { host, protocol } = new URL(url)
  const status = await receiverStatus(url, local)
  if (status === undefined)
    return fail(name, `nothing answers at ${host}`, 'check that the receiver is running, and check its url')
  if (status === 'private')
    return fail(
      name,
      `${host} resolves to a private address, to which webhooks are not sent`,
      'set its allowPrivateAddresses to true if that is intended',
    )
  if (status >= 300 && status < 400)
    return fail(
      name,
      `${host} answered ${status}, a redirect`,
      'set its url to the redirect target: redirects are not followed',
    )
  if (status >= 500) return warn(name, `${host} answered ${status}`, 'see the log of the receiver')
  if (protocol === 'http:' && !isWrittenLocal(new URL(url)) && !local)
    return warn(
      name,
      `${host} is not https: ${includeTexts ? 'transcripts' : 'events'} are sent unencrypted`,
      'use https',
    )
  return ok(name, `${host} responds, and events are signed`)
}

const PATIENCE_MS = 5_000

/**
 * Returns the response to HEAD, requested as webhooks are: without redirects, and not at names with private addresses.
 * Undefined without a response.
 */
function receiverStatus(address: string, local: boolean): Promise<number | 'private' | undefined> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const lookup = publicLookup(local || isWrittenLocal(url))
  const signal = AbortSignal.timeout(PATIENCE_MS)
  return new Promise(resolve => {
    const sent = request(url, { method: 'HEAD', lookup, signal, agent: false }, response => {
      resolve(response.statusCode)
      response.destroy()
    })
    sent.on('error', error => resolve(error instanceof PrivateAddressError ? 'private' : undefined))
    sent.end()
  })
}
