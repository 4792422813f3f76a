import type { z } from 'zod'
import { CARRIERS, type CarrierName } from '../../bridges/phone/carriers.ts'
import { asList, type DeepReadonly } from '../../common/setting-fields.ts'
import { natsFault } from '../../fleet/settings.ts'
import { isLoopback, isLoopbackOnly } from '../../net/client-address.ts'
import { type CheckedConfig, type ConfigInput, settingsSchema } from './schema.ts'

type NumberConfig = CheckedConfig['twilio']['numbers'][string]
type Section = CheckedConfig[CarrierName]
type Outbound = NonNullable<Section['outbound']>

/** Checks settings of calls that are valid alone but conflict. */
function checkCalls(config: CheckedConfig, wrong: Wrong): void {
  const { twilio, calls, publicUrl } = config
  checkOutbound(twilio, wrong)
  const owners = new Map<string, CarrierName>()
  for (const { name, title } of CARRIERS) {
    const section: Section = config[name]
    const { outbound, numbers } = section
    if (outbound && outbound.apiUrl === undefined && publicUrl === undefined)
      wrong(['publicUrl'], `the https:// address that ${title} calls, because ${name}.outbound is set`)
    if (outbound) checkPrices(outbound, allowed => wrong([name, 'outbound', 'prices'], allowed))
    for (const [number, settings] of Object.entries(numbers)) {
      const at = (...path: string[]) => [name, 'numbers', number, ...path]
      const owner = owners.get(number)
      if (owner) wrong(at(), `no settings, because the number has settings in ${owner}.numbers`)
      owners.set(number, name)
      checkRoom(settings, (path, allowed) => wrong(at(...path), allowed))
      checkMenu(settings, calls.callerLanguages !== undefined, (path, allowed) => wrong(at(...path), allowed))
      if (settings.dial)
        checkDial(settings.dial.to, number, section, name, allowed => wrong(at('dial', 'to'), allowed))
    }
  }
}

function checkOutbound({ outbound, authToken }: CheckedConfig['twilio'], wrong: Wrong): void {
  if (!outbound) return
  const at = (key: string) => ['twilio', 'outbound', key]
  const { apiKeySid, apiKeySecret } = outbound
  if (apiKeySid !== undefined && apiKeySecret === undefined)
    wrong(at('apiKeySecret'), 'the secret of the API key, because apiKeySid is set')
  if (apiKeySid === undefined && apiKeySecret !== undefined)
    wrong(at('apiKeySid'), 'the SID of the API key, because apiKeySecret is set')
  const [token] = asList(authToken)
  if (apiKeySid === undefined && apiKeySecret === undefined && token === undefined)
    wrong(
      ['twilio', 'authToken'],
      'the auth token of the account, because twilio.outbound is set without an API key',
    )
}

/** A number without a price cannot be kept below a cost limit, so calls to it would always be rejected. */
function checkPrices(
  { allowedPrefixes, prices = {}, maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey }: Outbound,
  wrong: (allowed: string) => void,
): void {
  if (maxSpendPerDay === undefined && maxSpendPerNumber === undefined && maxSpendPerKey === undefined) return
  const known = Object.keys(prices)
  const without = allowedPrefixes.filter(prefix => !known.some(each => prefix.startsWith(each)))
  if (without.length > 0)
    wrong(
      `a price for each prefix of allowedPrefixes, because a cost limit is set; none matches ${without.join(', ')}`,
    )
}

function checkRoom({ dial, room, roomCode }: NumberConfig, wrong: Wrong): void {
  if (dial && room !== undefined)
    wrong(['room'], 'no value, because each call of a number with dial has its own room')
  if (roomCode && room !== undefined) wrong(['room'], 'no value, because the code selects the room')
  if (roomCode && dial) wrong(['roomCode'], 'false, because callers are connected by dial')
}

function checkMenu({ menu, dial, room, roomCode }: NumberConfig, remembers: boolean, wrong: Wrong): void {
  if (!menu || menu.mode === 'fixed') return
  if (menu.mode === 'remembered' && !remembers)
    wrong(['menu', 'mode'], 'menu, unless calls.callerLanguages has a key for the choices')
  if (!dial && room === undefined && !roomCode)
    wrong(['menu'], 'no value, unless callers have someone to talk to: with dial, room or roomCode')
}

function checkDial(
  to: string,
  number: string,
  { outbound }: Section,
  name: CarrierName,
  wrong: (allowed: string) => void,
): void {
  if (!outbound) wrong(`no value, unless ${name}.outbound configures outbound calls`)
  else if (to === number || to === outbound.from) wrong('a number that does not route back to this server')
  else if (!outbound.allowedPrefixes.some(prefix => to.startsWith(prefix)))
    wrong(
      `a number that starts with one of ${name}.outbound.allowedPrefixes: ${outbound.allowedPrefixes.join(', ')}`,
    )
}

/** Reports the allowed value of a key whose value is valid alone but conflicts with another. */
export type Wrong = (path: string[], allowed: string) => void

/** Program to start; each requires or forbids certain settings. */
export type Started = 'bridge' | 'service'

/** Checks settings that exclude each other in every program. */
function checkTogether(config: CheckedConfig, context: z.core.$RefinementCtx): void {
  checkTwilio(config, wrongIn(context))
  checkInsecure(config, wrongIn(context))
  checkCalls(config, wrongIn(context))
  checkDiscord(config, wrongIn(context))
  checkFleet(config, wrongIn(context))
}

/** Checks the combinations that the programs to start require. */
function checkStart(started: Started): (config: CheckedConfig, context: z.core.$RefinementCtx) => void {
  return (config, context) => {
    if (started === 'bridge') checkBridge(config, wrongIn(context))
    if (started === 'service' || config.service.url === undefined)
      checkEmbedded(config.embedded, wrongIn(context))
  }
}

function wrongIn(context: z.core.$RefinementCtx): Wrong {
  return (path, message) => context.addIssue({ code: 'custom', path, message })
}

function checkBridge(config: CheckedConfig, wrong: Wrong): void {
  const { twilio, publicUrl, service, embedded, port } = config
  const signed = asList(twilio.authToken).length > 0
  const others = CARRIERS.some(({ name, isSigned }) => name !== 'twilio' && isSigned(config[name]))
  if (publicUrl !== undefined && !signed && !twilio.insecure && !others)
    wrong(['twilio', 'authToken'], 'the auth token of the Twilio account, because publicUrl is set')
  if (publicUrl === undefined && signed && !twilio.insecure)
    wrong(['publicUrl'], `the https:// address that Twilio calls, because twilio.authToken is set`)
  for (const { name, title, credential, isSigned } of CARRIERS)
    if (name !== 'twilio' && publicUrl === undefined && isSigned(config[name]))
      wrong(['publicUrl'], `the https:// address that ${title} calls, because ${name}.${credential} is set`)
  if (service.url === undefined && port !== 0 && port === embedded.port)
    wrong(['embedded', 'port'], '0 for any free port, or a value other than port')
}

function checkTwilio({ twilio, publicUrl, host = '127.0.0.1' }: CheckedConfig, wrong: Wrong): void {
  if (!twilio.insecure) {
    if (publicUrl !== undefined && !publicUrl.startsWith('https:'))
      wrong(['publicUrl'], 'an https:// address (Twilio needs it; http only with twilio.insecure)')
    return
  }
  if (asList(twilio.authToken).length > 0)
    wrong(['twilio', 'insecure'], 'false, because an auth token is set')
  if (!isLoopback(host))
    wrong(['host'], '127.0.0.1 with twilio.insecure, which is restricted to this machine')
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))
    wrong(['publicUrl'], 'no value, or an address on this machine, with twilio.insecure')
}

/** Unsigned requests are restricted to this machine. */
function checkInsecure(config: CheckedConfig, wrong: Wrong): void {
  const { host = '127.0.0.1', publicUrl } = config
  for (const { name, credential, isSigned } of CARRIERS) {
    const section: Section = config[name]
    if (name === 'twilio' || !section.insecure) continue
    if (isSigned(section)) wrong([name, 'insecure'], `false, because ${credential} is set`)
    if (!isLoopback(host))
      wrong(['host'], `127.0.0.1 with ${name}.insecure, which is restricted to this machine`)
    if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname))
      wrong(['publicUrl'], `no value, or an address on this machine, with ${name}.insecure`)
  }
}

function checkFleet({ fleet, host, publicUrl, trustProxy, twilio }: CheckedConfig, wrong: Wrong): void {
  const { nats, key, address } = fleet
  if (!nats) return
  if (key === undefined)
    wrong(['fleet', 'key'], 'a secret that is the same on all nodes, because fleet.nats is set')
  const fault = natsFault(nats)
  if (fault !== undefined) wrong(['fleet', 'nats'], fault)
  if (address === undefined && !isLoopback(listeningHost({ host, publicUrl, trustProxy, twilio })))
    wrong(
      ['fleet', 'address'],
      'the address at which other nodes reach this one, because it listens on the network',
    )
}

function checkDiscord(config: CheckedConfig, wrong: Wrong): void {
  const calls = CARRIERS.some(({ name }) => (config[name] as Section).outbound !== undefined)
  if (config.discord.dialRoles.length > 0 && !calls)
    wrong(['discord', 'dialRoles'], 'no value, unless twilio.outbound configures outbound calls')
}

function checkEmbedded({ host, open, engines }: CheckedConfig['embedded'], wrong: Wrong): void {
  if (open && !isLoopback(host))
    wrong(
      ['embedded', 'open'],
      `false, because embedded.host is ${host}: without keys, only this machine is allowed`,
    )
  const { grammar, grammars } = engines.pocketsphinx
  if (grammar === undefined || Object.hasOwn(grammars, grammar)) return
  const names = Object.keys(grammars).join(', ')
  const allowed =
    names === '' ? 'no value, because no grammars are configured' : `one of the grammars: ${names}`
  wrong(['embedded', 'engines', 'pocketsphinx', 'grammar'], allowed)
}

/** `dragoman.yaml` and the environment are validated only against this schema. */
export const configSchema = settingsSchema.superRefine(checkTogether)

/** The schemas with the checks for the programs to start. */
export const START_SCHEMAS = {
  bridge: configSchema.superRefine(checkStart('bridge')),
  service: configSchema.superRefine(checkStart('service')),
} as const satisfies Record<Started, unknown>

type Input = DeepReadonly<ConfigInput>

/** Returns the address to listen on: this machine only, unless a public address asks for outside access. */
export function listeningHost({ host, publicUrl, trustProxy = [], twilio }: Input): string {
  // Only a proxy on this machine needs access: plain HTTP next to it would be open to everyone.
  const inside = publicUrl === undefined || twilio?.insecure || isLoopbackOnly(trustProxy)
  return host ?? (inside ? '127.0.0.1' : '0.0.0.0')
}
