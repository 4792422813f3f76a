import { BridgeError } from '../../common/errors.ts'
import { sameLanguage } from '../../common/language.ts'
import type { Config } from '../../config/load.ts'
import { ServiceFailure } from '../../service/client/service-failure.ts'
import type { LanguageEntry, VoiceEntry } from '../../service/contract.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { ExaminedService, Surroundings } from './environment.ts'
import { type LanguagePair, languagePairs } from './language-pairs.ts'

/** Maximum number of languages in a line. */
const MOST_NAMED = 6

/** Checks whether the service and its fallbacks are reachable, accept the key and support what the settings need. */
export async function serviceChecks(config: Config, around: Surroundings): Promise<Check[]> {
  const services = [
    config.service,
    ...config.service.fallbacks.map(each => ({ ...config.service, apiKey: undefined, ...each })),
  ]
  const checks: Check[] = []
  for (const [place, service] of services.entries())
    checks.push(...(await checksOf({ ...config, service }, around, place === 0 ? '' : `fallback ${place} `)))
  return checks
}

async function checksOf(config: Config, around: Surroundings, which: string): Promise<Check[]> {
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
  return fail(name, `${where}: ${wordsOf(error)}`, mendOf(error))
}

function wordsOf(error: unknown): string {
  if (error instanceof ServiceFailure && error.by === 'client') return error.description
  return error instanceof ServiceFailure || error instanceof BridgeError ? error.message : String(error)
}

function mendOf(error: unknown): string {
  if (error instanceof BridgeError && error.code === 'CONFIG') return 'fix the settings below embedded'
  if (!(error instanceof ServiceFailure)) return 'see the log of the service'
  const { by, code, status } = error
  if (by === 'service' && (code === 'unauthorized' || status === 401 || status === 403))
    return 'check service.apiKey (DRAGOMAN_SERVICE_API_KEY)'
  if (by === 'service' || code === 'closed') return 'see the log of the service'
  if (code === 'protocol') return 'check service.url: it may not be a translation service'
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
