import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import { type LanguageId, languageTag } from '../../../common/language.ts'
import {
  keyFields,
  listedEngine,
  type SettingsOf,
  serverEntry,
  translatedLanguages,
  urlField,
} from '../definition.ts'
import { primaryCode } from '../languages.ts'
import { HostedTranslator } from '../wire/http-translator.ts'

const settings = serverEntry('google', {
  url: urlField('https://translation.googleapis.com'),
  ...keyFields,
  languages: translatedLanguages,
})
type Settings = SettingsOf<typeof settings>

export const google = listedEngine({
  kind: 'translation',
  schema: settings,
  create: (choice, { clock }) => new GoogleTranslator(choice, clock),
})

const googleReply = z.object({
  data: z.object({ translations: z.array(z.object({ translatedText: z.string() })) }),
})

/** Google Cloud Translation, edition 2, at `POST /language/translate/v2`. */
export class GoogleTranslator extends HostedTranslator {
  readonly #options: Settings

  constructor(options: Settings, clock: Clock) {
    super('google', options, { quota: [] }, clock)
    this.#options = options
  }

  protected async request(text: string, from: LanguageId, to: LanguageId): Promise<string | undefined> {
    const { apiKey } = this.#options
    const reply = await this.http.json('/language/translate/v2', {
      // A key in the address would be in the logs of proxies.
      headers: { 'x-goog-api-key': apiKey },
      json: { q: [text], source: googleCode(from), target: googleCode(to), format: 'text' },
    })
    return googleReply.safeParse(reply).data?.data.translations[0]?.translatedText
  }
}

/** Regions only where the written languages differ. */
function googleCode(language: LanguageId): string {
  return /^(zh|pt)-/.test(language) ? languageTag(language) : primaryCode(language)
}
