import { CARRIERS } from '../../bridges/phone/carriers.ts'
import { BridgeError } from '../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Config } from '../../config/load.ts'
import { isWrittenLocal } from '../../net/outbound-guard.ts'
import { ServiceClientError } from '../../service/client/errors.ts'
import type { LanguageEntry, VoiceEntry } from '../../service/contract.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { DoctorEnvironment, ExaminedService } from './environment.ts'

/** A translation direction that the settings need. */
export interface LanguagePair {
  readonly from: LanguageId
  readonly to: LanguageId
  /** Origin: `default`, a number, or a room. */
  readonly used: string
}

/** Returns every direction that calls can need: alone in a call, or among the numbers of a room. */
export function languagePairs(config: Config): LanguagePair[] {
  const { languages, discord } = config
  const numbers = CARRIERS.flatMap(({ name }) => Object.entries(config[name].numbers))
  const alone = numbers.filter(([, { dial, menu }]) => !dial && !menu)
  const parties = alone.map(([number, { speaks, hears, room }]) => ({
    number,
    room,
    speaks: speaks ?? languages.speaks,
    hears: hears ?? languages.hears,
  }))
  const pairs: LanguagePair[] = [{ from: languages.speaks, to: languages.hears, used: 'default' }]
  for (const speaker of parties) {
    if (speaker.speaks === 'none') continue
    const listeners =
      speaker.room === undefined ? [speaker] : parties.filter(({ room }) => room === speaker.room)
    for (const listener of listeners)
      pairs.push({
        from: speaker.speaks,
        to: listener.hears,
        used: speaker.room === undefined ? speaker.number : `room ${speaker.room}`,
      })
  }
  for (const [number, settings] of numbers) pairs.push(...dialedPairs(number, settings, languages))
  pairs.push(...channelPairs(discord))
  const seen = new Set<string>()
  return pairs.filter(({ from, to }) => {
    const key = `${from} ${to}`
    if (sameLanguage(from, to) || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Languages played in Discord channels at the start, from the default language of their people. */
function channelPairs({ token, language, output }: Config['discord']): LanguagePair[] {
  if (token === undefined) return []
  const speak = [...output, ...(language === undefined ? [] : [language])]
  return speak.flatMap(from => output.map(to => ({ from, to, used: 'discord.output' })))
}

type Languages = Config['languages']
type NumberSettings = Config['twilio']['numbers'][string]

/** Both directions between callers of a number and the called participant, for each language of a menu. */
function dialedPairs(
  used: string,
  { speaks, hears, dial, menu }: NumberSettings,
  languages: Languages,
): LanguagePair[] {
  const offered = menu?.languages ?? []
  const among = offered.flatMap(from => offered.map(to => ({ from, to, used })))
  if (!dial) return among
  const own = speaks ?? languages.speaks
  const callers =
    offered.length > 0
      ? offered.map(each => ({ speaks: each, hears: each }))
      : [{ speaks: own, hears: hears ?? (own === 'none' ? languages.hears : own) }]
  // Both participants hear their own language, unless the settings differ.
  const called = {
    speaks: dial.speaks,
    hears: dial.hears ?? (dial.speaks === 'none' ? languages.hears : dial.speaks),
  }
  return callers.flatMap(caller => [
    ...(caller.speaks === 'none' ? [] : [{ from: caller.speaks, to: called.hears, used }]),
    ...(called.speaks === 'none' ? [] : [{ from: called.speaks, to: caller.hears, used }]),
  ])
}

/** Maximum number of languages in a line. */
const MOST_NAMED = 6

/** Checks whether the service and its fallbacks are reachable, accept the key and support what the settings need. */
export async function serviceChecks(config: Config, around: DoctorEnvironment): Promise<Check[]> {
  const services = [
    config.service,
    ...config.service.fallbacks.map(each => ({
      ...config.service,
      apiKey: undefined,
      socketPath: undefined,
      ...each,
    })),
  ]
  const checks: Check[] = []
  for (const [place, service] of services.entries())
    checks.push(...(await checksOf({ ...config, service }, around, place === 0 ? '' : `fallback ${place} `)))
  return checks
}

async function checksOf(config: Config, around: DoctorEnvironment, which: string): Promise<Check[]> {
  const where = config.service.url ?? 'embedded'
  const named = (check: Check): Check => ({ ...check, name: `${which}${check.name}` })
  let service: ExaminedService | undefined
  try {
    service = await around.service(config)
    const [languages, voices] = await Promise.all([service.languages(), service.voices()])
    const heard = languages.filter(each => each.transcription).map(each => each.languageId)
    const reached = ok(
      'service',
      `${where}: recognizes ${heard.length === 0 ? 'no speech' : shortened(heard)}; ${languages.length} languages, ${voices.length} voices`,
    )
    const pairs = languagePairs(config)
    const able = pairs.flatMap(pair => pairChecks(pair, languages, voices, config.service.mode))
    const first = pairs.find(pair => pairChecks(pair, languages, voices, config.service.mode).every(isFine))
    const session = first ? [await sessionCheck(service, first)] : []
    return [reached, ...keyCheck(config), ...session, ...able].map(named)
  } catch (error) {
    return [named(failure('service', error, where))]
  } finally {
    await service?.close()
  }
}

/** Checks whether one language can be translated into the other, with a voice. */
function pairChecks(
  { from, to, used }: LanguagePair,
  languages: readonly LanguageEntry[],
  voices: readonly VoiceEntry[],
  mode: 'block' | 'streaming',
): Check[] {
  const name = `${from} → ${to}`
  const source = languages.find(entry => entry.languageId === from)
  const speakable = languages.filter(entry => entry.transcription).map(entry => entry.languageId)
  if (!source?.transcription)
    return [fail(name, `the service does not transcribe ${from} (${used})`, instead(from, speakable))]
  if (!source.translation.includes(to))
    return [
      fail(
        name,
        `the service does not translate ${from} into ${to} (${used})`,
        instead(to, source.translation),
      ),
    ]
  const there = voices.filter(voice => voice.languageId === to)
  if (there.length === 0) {
    const spoken = [...new Set(voices.map(voice => voice.languageId))]
    return [fail(name, `the service has no voice for ${to} (${used})`, instead(to, spoken))]
  }
  if (!there.some(voice => voice.modes.includes(mode)))
    return [
      fail(
        name,
        `no voice for ${to} in mode ${mode}`,
        `set service.mode to ${there[0]?.modes[0] ?? 'block'}`,
      ),
    ]
  return [ok(name, `${there.length} voices (${used})`)]
}

/** Explains what failed at the service, with the fix. */
export function failure(name: string, error: unknown, where: string): Check {
  return fail(name, `${where}: ${reasonOf(error)}`, mendOf(error))
}

function reasonOf(error: unknown): string {
  if (error instanceof ServiceClientError && error.by === 'client') return error.description
  if (error instanceof ServiceClientError && error.keyRefused) return `the key was refused (${error.message})`
  return error instanceof ServiceClientError || error instanceof BridgeError ? error.message : String(error)
}

function mendOf(error: unknown): string {
  if (error instanceof BridgeError && error.code === 'CONFIG') return 'fix the settings below embedded'
  if (!(error instanceof ServiceClientError)) return 'see the log of the service'
  const { by, code } = error
  if (error.keyRefused) return 'check service.apiKey (DRAGOMAN_SERVICE_API_KEY)'
  if (by === 'service' || code === 'closed') return 'see the log of the service'
  if (code === 'protocol') return 'check that service.url is the address of a translation service'
  return 'check that it is running, and check service.url'
}

async function sessionCheck(service: ExaminedService, { from, to }: LanguagePair): Promise<Check> {
  try {
    await service.session(from, to)
    return ok('session', `opened for ${from} → ${to}`)
  } catch (error) {
    return failure('session', error, `${from} → ${to}`)
  }
}

function keyCheck({ service }: Config): Check[] {
  if (service.url === undefined || service.apiKey !== undefined) return []
  return [warn('service key', 'not set', 'set service.apiKey (DRAGOMAN_SERVICE_API_KEY)')]
}

function instead(wanted: string, offered: readonly string[]): string {
  const near = offered.filter(language => sameLanguage(language, wanted))
  const named = (near.length > 0 ? near : offered).slice(0, 12).join(', ')
  return named === ''
    ? 'check its engines, or choose another service'
    : `choose one of ${named}, or another service`
}

/** Returns the first items, and how many more there are. */
function shortened(languages: readonly string[]): string {
  const more = languages.length - MOST_NAMED
  const named = languages.slice(0, MOST_NAMED).join(', ')
  return more > 0 ? `${named} and ${more} more` : named
}

function isFine(check: Check): boolean {
  return check.status === 'ok'
}

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
