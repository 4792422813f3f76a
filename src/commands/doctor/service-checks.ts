import type { Config } from '../../config.ts'
import { BridgeError } from '../../core/errors.ts'
import { sameLanguage } from '../../core/languages.ts'
import type { LanguageEntry, VoiceEntry } from '../../service/contract.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { type LanguagePair, languagePairs } from './language-pairs.ts'
import type { ExaminedService, Surroundings } from './surroundings.ts'

/** Whether the service is there, takes the key, and can do what the settings ask for. */
export async function serviceChecks(config: Config, around: Surroundings): Promise<Check[]> {
  const where = config.service.url ?? 'embedded'
  let service: ExaminedService | undefined
  try {
    service = await around.service(config)
    const [languages, voices] = await Promise.all([service.languages(), service.voices()])
    const reached = ok('service', `${where}: ${languages.length} languages, ${voices.length} voices`)
    const pairs = languagePairs(config)
    const able = pairs.flatMap(pair => pairChecks(pair, languages, voices, config.service.mode))
    const first = pairs.find(pair => pairChecks(pair, languages, voices, config.service.mode).every(isFine))
    const session = first ? [await sessionCheck(service, first)] : []
    return [reached, ...keyCheck(config), ...session, ...able]
  } catch (error) {
    return [failure('service', error, where)]
  } finally {
    await service?.close()
  }
}

/** Whether one language can be turned into the other, with a voice. */
export function pairChecks(
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

/** What went wrong with the service, in the words of `docs/endings.md`, and what to do about it. */
export function failure(name: string, error: unknown, where: string): Check {
  if (!(error instanceof BridgeError))
    return fail(name, `${where}: ${String(error)}`, 'see the log of the service')
  switch (error.code) {
    case 'SERVICE_UNREACHABLE':
      return fail(name, `${where}: ${error.message}`, 'is it running, and is service.url right?')
    case 'SERVICE_REFUSED':
      return fail(name, `${where}: ${error.message}`, 'is service.apiKey right (DRAGOMAN_SERVICE_API_KEY)?')
    case 'SERVICE_PROTOCOL':
      return fail(name, `${where}: ${error.message}`, 'is there a translation service at service.url?')
    case 'CONFIG':
      return fail(name, `${where}: ${error.message}`, 'mend the settings below embedded')
    default:
      return fail(name, `${where}: ${error.message}`, 'see the log of the service')
  }
}

async function sessionCheck(service: ExaminedService, { from, to }: LanguagePair): Promise<Check> {
  const error = await service.session(from, to)
  if (error === undefined) return ok('session', `opened for ${from} → ${to}`)
  return failure('session', error, `${from} → ${to}`)
}

function keyCheck({ service }: Config): Check[] {
  if (service.url === undefined || service.apiKey !== undefined) return []
  return [warn('service key', 'none is set', 'set service.apiKey (DRAGOMAN_SERVICE_API_KEY)')]
}

function instead(wanted: string, offered: readonly string[]): string {
  const near = offered.filter(language => sameLanguage(language, wanted))
  const named = (near.length > 0 ? near : offered).slice(0, 12).join(', ')
  return named === '' ? 'choose another service' : `choose one of ${named}, or another service`
}

function isFine(check: Check): boolean {
  return check.status === 'ok'
}
