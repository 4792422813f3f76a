import type { Clock } from '../core/clock.ts'
import type { Translator } from '../core/translator.ts'
import type { ResultPlaces } from '../service/client/result-reader.ts'
import { ServiceTranslator } from '../service/client/service-translator.ts'

/** How the service is reached. */
export interface ServiceSettings {
  /** Absent: the embedded service. */
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
  readonly mode?: 'block' | 'streaming' | undefined
  /** Where to find text and mp3 in results, for servers that name them otherwise. */
  readonly places?: { readonly [K in keyof ResultPlaces]?: readonly string[] | undefined } | undefined
  /** The service ends sessions after so long, and does not say so itself. */
  readonly sessionMinutes?: number | undefined
  /** Services that stand in while it is away, the first that is there. */
  readonly fallbacks?: readonly { readonly url: string; readonly apiKey?: string | undefined }[] | undefined
}

/** The services in the order in which they are wanted; whoever gets them closes them. `url` and `apiKey` are of the first. */
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
