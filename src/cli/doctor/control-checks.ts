import type { Config } from '../../config/load.ts'
import { isWrittenLocal } from '../../net/outbound-guard.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { DoctorEnvironment } from './environment.ts'

/** A secret with fewer distinct characters is not random. */
const LEAST_CHARACTERS = 8

/** Checks the keys of the control API and the webhook receivers. Never shows keys, secrets or addresses. */
export async function controlChecks(config: Config, around: DoctorEnvironment): Promise<Check[]> {
  const [control, ...webhooks] = await Promise.all([
    controlCheck(config, around),
    ...config.webhooks.map((each, at) => webhookCheck(each.name ?? `${at + 1}`, each, around)),
  ])
  return [control, ...webhooks]
}

/** Checks the keys, and whether a running server accepts them. */
async function controlCheck({ control, host, port }: Config, around: DoctorEnvironment): Promise<Check> {
  const name = 'control API'
  const { keys } = control
  const [first] = keys
  if (!first) return ok(name, 'disabled: no key in control.keys')
  const names = keys.map(each => each.name).join(', ')
  if (new Set(keys.map(({ key }) => key)).size < keys.length)
    return fail(name, `two of ${names} have the same key`, 'give each its own key: openssl rand -hex 24')
  const weak = keys.find(({ key }) => isWeak(key))
  if (weak)
    return warn(name, `the key of ${weak.name} is easy to guess`, 'generate one: openssl rand -hex 24')
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const server = `http://${here.includes(':') ? `[${here}]` : here}:${port}`
  if (port === 0 || !(await around.isDragoman(server)))
    return ok(name, `ready for ${names} once the server runs`)
  for (const { name: holder, key } of keys)
    if ((await around.statusOf(`${server}/v1/webhooks`, key)) !== 200)
      return warn(name, `the running server does not accept the key of ${holder}`, 'restart it')
  return ok(name, `ready for ${names}`)
}

/** Checks whether a receiver responds. Sends no event, since a fake one could cause harm. */
async function webhookCheck(
  title: string,
  { url, secret, includeTexts: texts, allowPrivateAddresses: local }: Config['webhooks'][number],
  around: DoctorEnvironment,
): Promise<Check> {
  const name = `webhook ${title}`
  const { host, protocol } = new URL(url)
  if (isWeak(secret)) return warn(name, 'its secret is easy to guess', 'generate one: openssl rand -hex 24')
  const status = await around.receiver(url, local)
  if (status === undefined)
    return fail(name, `nothing answers at ${host}`, 'check that the receiver is running, and check its url')
  if (status === 'local')
    return fail(
      name,
      `${host} resolves to a private address, to which webhooks are not sent`,
      'set its local to true if that is intended',
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
      `${host} is not https: ${texts ? 'transcripts' : 'events'} are sent unencrypted`,
      'use https',
    )
  return ok(name, `${host} responds, and events are signed`)
}

function isWeak(secret: string): boolean {
  return new Set(secret).size < LEAST_CHARACTERS
}
