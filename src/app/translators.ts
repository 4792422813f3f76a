import type { Clock } from '../common/clock.ts'
import type { Translator } from '../core/translation/translator.ts'
import type { ResultPlaces } from '../service/client/result-reader.ts'
import { ServiceTranslator } from '../service/client/service-translator.ts'

/** Connection settings of the service. */
export interface ServiceSettings {
  /** Absent: the embedded service. */
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
  readonly mode?: 'block' | 'streaming' | undefined
  /** Paths of text and MP3 in results, for services with different field names. */
  readonly places?: { readonly [K in keyof ResultPlaces]?: readonly string[] | undefined } | undefined
  /** Session limit in minutes, for services that do not announce it. */
  readonly sessionMinutes?: number | undefined
  /** Fallback services, in order of preference. */
  readonly fallbacks?: readonly { readonly url: string; readonly apiKey?: string | undefined }[] | undefined
}

/** Opens the services in order of preference. The caller closes them. `url` and `apiKey` belong to the first. */
export function openTranslators(
  settings: ServiceSettings,
  { url, apiKey, clock }: { url: string | (() => string); apiKey: string; clock: Clock },
): { readonly translator: Translator; readonly fallbacks: readonly Translator[] } {
  const { mode, places = {}, sessionMinutes, fallbacks = [] } = settings
  const alike = {
    clock,
    ...(mode ? { mode } : {}),
    ...(sessionMinutes === undefined ? {} : { sessionMs: sessionMinutes * 60_000 }),
    places: Object.fromEntries(Object.entries(places).filter(([, list]) => list)),
  }
  return {
    translator: new ServiceTranslator({ ...alike, url, apiKey }),
    fallbacks: fallbacks.map(
      each => new ServiceTranslator({ ...alike, url: each.url, apiKey: each.apiKey ?? '' }),
    ),
  }
}
