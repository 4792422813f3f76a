import type { Offer } from '../bridges/browser/index.ts'
import { ServiceClient } from '../service/client/service-client.ts'
import { type LanguageOfferTerms, languageOffer } from './language-offer.ts'

/**
 * Returns the languages and voices that visitors of the talk page can choose: those that the service reports when
 * queried.
 */
export function talkOffer({ url, apiKey }: LanguageOfferTerms): () => Promise<Offer> {
  const offered = languageOffer({ url, apiKey })
  return async () => {
    const client = new ServiceClient({ url: typeof url === 'string' ? url : url(), apiKey })
    const [languages, voices] = await Promise.all([offered(), client.voices()])
    return {
      languages,
      voices: voices.map(({ voiceId, name, languageId, voiceGender }) => ({
        ...{ id: voiceId, name, language: languageId, gender: voiceGender },
      })),
    }
  }
}
