import type { OfferedLanguage } from '../bridges/browser/index.ts'
import { ServiceClient } from '../service/client/service-client.ts'

/** The service whose languages are offered. */
export interface LanguageOfferTerms {
  /** Address of the translation service; a function if it can change. */
  readonly url: string | (() => string)
  readonly apiKey: string
}

/**
 * Returns the languages that users of the Discord bridge and the dashboard can choose: those that the service reports
 * when queried.
 */
export function languageOffer({
  url,
  apiKey,
}: LanguageOfferTerms): () => Promise<readonly OfferedLanguage[]> {
  return async () => {
    const at = typeof url === 'string' ? url : url()
    const languages = await new ServiceClient({ url: at, apiKey }).languages()
    return languages.map(({ languageId, name, transcription, translation, synthesis }) => ({
      ...{ id: languageId, name, heard: transcription, spoken: synthesis, into: translation },
    }))
  }
}
