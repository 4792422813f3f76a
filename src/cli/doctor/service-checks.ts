import { randomBytes } from 'node:crypto'
import type { Config } from '../../app/settings/load.ts'
import { CARRIERS } from '../../bridges/phone/carriers.ts'
import { BridgeError } from '../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import { ServiceClientError } from '../../service/client/errors.ts'
import { ServiceClient } from '../../service/client/service-client.ts'
import type { LanguageEntry, VoiceEntry } from '../../service/contract.ts'
import { ServiceProcess } from '../../service/server/process/service-process.ts'
import type { ServiceConfig } from '../../service/server/settings.ts'
import { shortened } from '../terminal.ts'
import { type Check, fail, ok, warn } from './check.ts'

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
export async function serviceChecks(config: Config): Promise<Check[]> {
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
    checks.push(...(await checksOf({ ...config, service }, place === 0 ? '' : `fallback ${place} `)))
  return checks
}

async function checksOf(config: Config, which: string): Promise<Check[]> {
  const { mode, socketPath } = config.service
  const where = config.service.url ?? 'embedded'
  const named = (check: Check): Check => ({ ...check, name: `${which}${check.name}` })
  try {
    await using service = await reachable(config)
    const client = new ServiceClient({ ...service, socketPath })
    const [languages, voices] = await Promise.all([client.languages(), client.voices()])
    const heard = languages.filter(each => each.transcription).map(each => each.languageId)
    const reached = ok(
      'service',
      `${where}: recognizes ${heard.length === 0 ? 'no speech' : shortened(heard, MOST_NAMED)}; ${languages.length} languages, ${voices.length} voices`,
    )
    const pairs = languagePairs(config)
    const able = pairs.map(pair => pairCheck(pair, languages, voices, mode))
    const first = pairs.find((_, index) => able[index]?.status === 'ok')
    const session = first ? [await sessionCheck(client, first, mode)] : []
    return [reached, ...keyCheck(config), ...session, ...able].map(named)
  } catch (error) {
    return [named(failure('service', error, where))]
  }
}

/** The configured service, or the embedded one, which is started. Disposing stops it. */
async function reachable({ service, embedded }: Config) {
  const { url, apiKey = '' } = service
  if (url !== undefined) return { url, apiKey, async [Symbol.asyncDispose]() {} }
  const key = randomBytes(18).toString('base64url')
  const settings = { ...(structuredClone(embedded) as ServiceConfig), port: 0, apiKeys: [key] }
  const started = await ServiceProcess.start(settings)
  return { url: started.url, apiKey: key, [Symbol.asyncDispose]: () => started.close() }
}

/** Checks whether one language can be translated into the other, with a voice. */
function pairCheck(
  { from, to, used }: LanguagePair,
  languages: readonly LanguageEntry[],
  voices: readonly VoiceEntry[],
  mode: 'block' | 'streaming',
): Check {
  const name = `${from} → ${to}`
  const source = languages.find(entry => entry.languageId === from)
  const speakable = languages.filter(entry => entry.transcription).map(entry => entry.languageId)
  if (!source?.transcription)
    return fail(name, `the service does not transcribe ${from} (${used})`, instead(from, speakable))
  if (!source.translation.includes(to))
    return fail(
      name,
      `the service does not translate ${from} into ${to} (${used})`,
      instead(to, source.translation),
    )
  const there = voices.filter(voice => voice.languageId === to)
  if (there.length === 0) {
    const spoken = [...new Set(voices.map(voice => voice.languageId))]
    return fail(name, `the service has no voice for ${to} (${used})`, instead(to, spoken))
  }
  if (!there.some(voice => voice.modes.includes(mode)))
    return fail(
      name,
      `no voice for ${to} in mode ${mode}`,
      `set service.mode to ${there[0]?.modes[0] ?? 'block'}`,
    )
  return ok(name, `${there.length} voices (${used})`)
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

async function sessionCheck(
  client: ServiceClient,
  { from, to }: LanguagePair,
  mode: 'block' | 'streaming',
): Promise<Check> {
  try {
    const languages = { languageIdSource: from, languageIdTarget: to }
    await using _session = await client.openSession('/sts', { ...languages, receiveAudio: { mode } })
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
