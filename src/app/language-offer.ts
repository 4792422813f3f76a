import type { OfferedLanguage } from '../bridges/browser/index.ts'
import { ServiceClient } from '../service/client/service-client.ts'

/** Where the service is that is asked for its languages. */
export interface LanguageOfferTerms {
  /** The translation service; a function where it may move. */
  readonly url: string | (() => string)
  readonly apiKey: string
}

/** What users of the Discord bridge and the dashboard can choose: the languages of a translation service, as they are when it is asked. */
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
