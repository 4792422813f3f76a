import type { Config } from '../../config.ts'
import { isWrittenLocal } from '../../guard/guarded-lookup.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { Surroundings } from './surroundings.ts'

/** A secret of fewer different characters was not made by chance. */
const LEAST_CHARACTERS = 8

/** Who may use the control API, and who is told what happens. Keys, secrets and addresses are never shown. */
export async function controlChecks(config: Config, around: Surroundings): Promise<Check[]> {
  const [control, ...webhooks] = await Promise.all([
    controlCheck(config, around),
    ...config.webhooks.map((each, at) => webhookCheck(each.name ?? `${at + 1}`, each, around)),
  ])
  return [control, ...webhooks]
}

/** The keys, and where a server runs whether it takes them. */
async function controlCheck({ control, host, port }: Config, around: Surroundings): Promise<Check> {
  const name = 'control API'
  const { keys } = control
  const [first] = keys
  if (!first) return ok(name, 'closed: there is no key in control.keys')
  const names = keys.map(each => each.name).join(', ')
  if (new Set(keys.map(({ key }) => key)).size < keys.length)
    return fail(name, `two of ${names} have the same key`, 'give each a key of its own: openssl rand -hex 24')
  const weak = keys.find(({ key }) => isWeak(key))
  if (weak) return warn(name, `the key of ${weak.name} is easy to guess`, 'make one: openssl rand -hex 24')
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const server = `http://${here.includes(':') ? `[${here}]` : here}:${port}`
  if (port === 0 || !(await around.isDragoman(server))) return ok(name, `open for ${names}, once it runs`)
  for (const { name: holder, key } of keys)
    if ((await around.statusOf(`${server}/v1/webhooks`, key)) !== 200)
      return warn(name, `the server that runs does not take the key of ${holder}`, 'start it again')
  return ok(name, `open for ${names}`)
}

/** Whether a receiver is there. Nothing is sent to it: an event that did not happen could do harm. */
async function webhookCheck(
  title: string,
  { url, secret, texts, local }: Config['webhooks'][number],
  around: Surroundings,
): Promise<Check> {
  const name = `webhook ${title}`
  const { host, protocol } = new URL(url)
  if (isWeak(secret)) return warn(name, 'its secret is easy to guess', 'make one: openssl rand -hex 24')
  const status = await around.receiver(url, local)
  if (status === undefined)
    return fail(name, `nothing answers at ${host}`, 'is the receiver running, and is its url right?')
  if (status === 'local')
    return fail(
      name,
      `${host} leads into the network of this machine, where webhooks are not sent`,
      'set its local to true if that is meant',
    )
  if (status >= 300 && status < 400)
    return fail(
      name,
      `${host} answered ${status}, a redirect`,
      'set its url to the address it redirects to: redirects are not followed',
    )
  if (status >= 500) return warn(name, `${host} answered ${status}`, 'see the log of the receiver')
  if (protocol === 'http:' && !isWrittenLocal(new URL(url)) && !local)
    return warn(
      name,
      `${host} is not https: ${texts ? 'what people say' : 'what happens'} is sent openly`,
      'use https',
    )
  return ok(name, `${host} answers, and what is sent is signed`)
}

function isWeak(secret: string): boolean {
  return new Set(secret).size < LEAST_CHARACTERS
}
