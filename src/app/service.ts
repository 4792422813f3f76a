import { z } from 'zod'
import type { CatalogLanguage, ServiceCatalog } from '../bridges/browser/index.ts'
import type { CastableVoice } from '../bridges/discord/channel/voice-casting.ts'
import { type Clock, systemClock } from '../common/clock.ts'
import { LateLog, type Logger } from '../common/log.ts'
import type { SettingsInput } from '../common/setting-fields.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Translator } from '../core/translation/translator.ts'
import { ServiceClientError, toBridgeError } from '../service/client/errors.ts'
import { currentUrl } from '../service/client/service-address.ts'
import { ServiceClient } from '../service/client/service-client.ts'
import type { serviceConnectionSettingsSchema } from '../service/client/settings.ts'
import { ServiceSpeaker } from '../service/client/speaker.ts'
import { ServiceTranslator } from '../service/client/translator.ts'
import { soundSettingsSchema } from './sounds/settings.ts'
import { SoundLibrary } from './sounds/sound-library.ts'

/** Address of the service that speaks notices, and the sound settings. */
export interface AnnouncerOptions {
  /** Custom recordings, tones and limits. Default: none, and the defaults. */
  readonly settings?: SettingsInput<typeof soundSettingsSchema> | undefined
  /** Address of the translation service; a function if it can change. */
  readonly url: string | (() => string)
  readonly apiKey: string
  /** Path of Socket.IO, if it is below a path of the address. */
  readonly socketPath?: string | undefined
  readonly clock?: Clock
  /** Default: the log of the first bridge that uses it, which is the log of its Fastify application. */
  readonly log?: Logger
}

/**
 * Opens the announcer, which speaks the bridges’ notices with the service’s voices. Throws
 * `BridgeError` `CONFIG` for a file that cannot be played.
 */
export async function openAnnouncer(options: AnnouncerOptions): Promise<Announcer> {
  const announcer = createAnnouncer(options)
  await announcer.check()
  return announcer
}

/** The announcer of `openAnnouncer`, whose own recordings are not checked yet. */
export function createAnnouncer(options: AnnouncerOptions): SoundLibrary & { useLog(to: Logger): void } {
  const { settings, url, apiKey, socketPath, clock = systemClock } = options
  const log = new LateLog()
  if (options.log) log.use(options.log)
  const speaker = new ServiceSpeaker(
    () => new ServiceClient({ url: currentUrl(url), apiKey, socketPath }, clock),
  )
  const library = new SoundLibrary({
    speaker,
    settings: soundSettingsSchema.parse(settings ?? {}),
    clock,
    log,
  })
  return Object.assign(library, { useLog: (to: Logger) => log.use(to) })
}

/** Maximum wait for the state of a service (ms). */
const HEALTH_MS = 2_000

/** The service whose languages are offered. */
export interface LanguageOfferOptions {
  /** Address of the translation service; a function if it can change. */
  readonly url: string | (() => string)
  readonly apiKey: string
}

/**
 * Returns a check of the service: it resolves if the service answers with this key, and rejects with `BridgeError`, for
 * example `SERVICE_KEY_REFUSED`. A check that failed is repeated by the next call, one that succeeded is not.
 */
export function serviceCheck({ url, apiKey }: { url: string; apiKey: string }): () => Promise<void> {
  let checking: Promise<void> | undefined
  const check = async () => {
    try {
      await new ServiceClient({ url, apiKey }).languages()
    } catch (error) {
      checking = undefined
      throw error instanceof ServiceClientError ? toBridgeError(error) : error
    }
  }
  return () => {
    checking ??= check()
    return checking
  }
}

/**
 * Returns the languages that users of the Discord bridge and the dashboard can choose: those that the service reports
 * when queried.
 */
export function languageCatalog({
  url,
  apiKey,
}: LanguageOfferOptions): () => Promise<readonly CatalogLanguage[]> {
  return async () => {
    const languages = await new ServiceClient({ url: currentUrl(url), apiKey }).languages()
    return languages.map(({ languageId, name, transcription, translation, synthesis }) => ({
      ...{ id: languageId, name, heard: transcription, spoken: synthesis, into: translation },
    }))
  }
}

/**
 * Returns the languages of `languageCatalog` that are of use in a conversation: those that are recognized, or into which
 * recognized speech is translated. A service can have voices for more.
 */
export function usableLanguages(options: LanguageOfferOptions): () => Promise<readonly CatalogLanguage[]> {
  const offered = languageCatalog(options)
  return async () => {
    const languages = await offered()
    const into = new Set(languages.filter(({ heard }) => heard).flatMap(each => each.into))
    return into.size === 0 ? languages : languages.filter(({ id, heard }) => heard || into.has(id))
  }
}

/** Voices of the service for channels with several speakers. */
interface VoiceOfferOptions extends LanguageOfferOptions {
  /** The mode in which voices are used. Default: `streaming`. */
  readonly mode?: 'block' | 'streaming' | undefined
}

/** Returns the voices that the service reports when queried. */
export function voiceCatalog({
  url,
  apiKey,
  mode = 'streaming',
}: VoiceOfferOptions): () => Promise<readonly CastableVoice[]> {
  return async () => {
    const voices = await new ServiceClient({ url: currentUrl(url), apiKey }).voices({ mode })
    return voices.map(({ voiceId, languageId, voiceGender }) => ({
      ...{ id: voiceId, language: languageId, gender: voiceGender },
    }))
  }
}

/**
 * Returns the languages and voices that visitors of the talk page can choose: those that the service reports when
 * queried.
 */
export function talkCatalog({ url, apiKey }: LanguageOfferOptions): () => Promise<ServiceCatalog> {
  const offered = languageCatalog({ url, apiKey })
  return async () => {
    const client = new ServiceClient({ url: currentUrl(url), apiKey })
    const [languages, voices, engines] = await Promise.all([
      offered(),
      client.voices(),
      enginesAt(currentUrl(url)),
    ])
    return {
      languages,
      ...(engines.length === 0 ? {} : { engines }),
      voices: voices.map(({ voiceId, name, languageId, voiceGender }) => ({
        ...{ id: voiceId, name, language: languageId, gender: voiceGender },
      })),
    }
  }
}

const healthSchema = z.object({ engines: z.record(z.string(), z.array(z.string())) })

/** Returns the names of the engines that an embedded service reports, each once; none for other services. */
async function enginesAt(url: string): Promise<string[]> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) })
    const health = healthSchema.safeParse(await response.json())
    return health.success ? Array.from(new Set(Object.values(health.data.engines).flat())) : []
  } catch {
    return []
  }
}

/** Opens the services in order of preference. The caller closes them. `url` and `apiKey` belong to the first. */
export function openTranslators(
  settings: SettingsInput<typeof serviceConnectionSettingsSchema>,
  { url, apiKey, clock }: { url: string | (() => string); apiKey: string; clock: Clock },
): { readonly translator: Translator; readonly fallbacks: readonly Translator[] } {
  const { mode, resultPaths = {}, maxSessionMinutes, socketPath, fallbacks = [] } = settings
  const alike = {
    clock,
    mode,
    ...(maxSessionMinutes === undefined ? {} : { sessionMs: maxSessionMinutes * 60_000 }),
    resultPaths: Object.fromEntries(Object.entries(resultPaths).filter(([, list]) => list)),
  }
  return {
    translator: new ServiceTranslator({ ...alike, url, apiKey, socketPath }),
    fallbacks: fallbacks.map(each => new ServiceTranslator({ ...alike, ...each, apiKey: each.apiKey ?? '' })),
  }
}
