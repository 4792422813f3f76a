import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import { type LanguageId, languageTag, primaryLanguage } from '../../../common/language.ts'
import { EngineError, type GlossaryEntry, type TranslationOptions } from '../engine.ts'
import { primaryCode } from '../languages.ts'
import { WordMatcher } from '../vocabulary/word-matcher.ts'
import { HttpFault } from '../wire/http-client.ts'
import { HttpTranslator, otherLanguages } from '../wire/http-translator.ts'
import { DeepLGlossaries } from './deepl-glossaries.ts'
import type { AzureTranslationOptions, DeepLOptions, GoogleTranslationOptions } from './settings.ts'

/** Time without requests after a quota is used up (ms): it does not return in a moment, and another engine serves. */
const QUOTA_REST_MS = 60 * 60_000

/** Translation by a hosted service with one request for each text. */
abstract class HostedTranslator extends HttpTranslator {
  readonly #languages: readonly LanguageId[]
  /** Statuses that mean that the quota is used up. */
  readonly #quota: readonly number[]

  protected constructor(
    name: string,
    options: DeepLOptions | GoogleTranslationOptions,
    { quota }: { readonly quota: readonly number[] },
    clock: Clock,
  ) {
    // The key is sent in the provider's own header.
    super(name, { ...options, apiKey: undefined }, clock)
    this.#languages = options.languages
    this.#quota = quota
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return otherLanguages(this.#languages, from)
  }

  /** Sends one text and returns the translation in the response, or undefined without one. */
  protected abstract request(
    text: string,
    from: LanguageId,
    to: LanguageId,
    options: TranslationOptions,
  ): Promise<string | undefined>

  protected async ask(
    text: string,
    from: LanguageId,
    to: LanguageId,
    options: TranslationOptions,
  ): Promise<string> {
    let translation: string | undefined
    try {
      translation = await this.request(text, from, to, options)
    } catch (error) {
      const status = error instanceof EngineError && error.cause instanceof HttpFault && error.cause.status
      if (status && this.#quota.includes(status)) this.http.rest(QUOTA_REST_MS)
      throw error
    }
    if (translation === undefined) throw this.http.error('returned JSON without a translation')
    return translation
  }
}

/** Targets for which DeepL needs a region, by language; the others have none. */
const DEEPL_TARGETS: Readonly<Record<LanguageId, string>> = {
  'en-us': 'EN-US',
  'en-gb': 'EN-GB',
  'pt-br': 'PT-BR',
  'pt-pt': 'PT-PT',
  'es-419': 'ES-419',
  'es-mx': 'ES-419',
  'zh-cn': 'ZH-HANS',
  'zh-tw': 'ZH-HANT',
}

const deeplReply = z.object({ translations: z.array(z.object({ text: z.string() })) })

/** DeepL at `POST /v2/translate` (API reference, "Translate text"). Sources never have a region. */
export class DeepLTranslator extends HostedTranslator {
  readonly takesGlossary = true
  readonly #options: DeepLOptions
  readonly #glossaries: DeepLGlossaries

  constructor(options: DeepLOptions, clock: Clock) {
    super('deepl', options, { quota: [456] }, clock)
    this.#options = options
    this.#glossaries = new DeepLGlossaries(this.http, deeplHeaders(options.apiKey), clock)
  }

  protected async request(
    text: string,
    from: LanguageId,
    to: LanguageId,
    { glossary = [], about }: TranslationOptions,
  ): Promise<string | undefined> {
    const { apiKey, formality } = this.#options
    const glossaryId =
      this.#options.glossaryId ??
      (await this.#glossaries.idOf({ source: deeplCode(from), target: deeplCode(to), entries: glossary }))
    const reply = await this.http.json('/v2/translate', {
      headers: deeplHeaders(apiKey),
      json: {
        text: [text],
        source_lang: deeplCode(from),
        target_lang: DEEPL_TARGETS[to] ?? deeplCode(to),
        model_type: 'latency_optimized',
        ...(formality === 'default' ? {} : { formality }),
        ...(glossaryId === undefined ? {} : { glossary_id: glossaryId }),
        ...(about === undefined ? {} : { context: about }),
      },
    })
    return deeplReply.safeParse(reply).data?.translations[0]?.text
  }
}

function deeplHeaders(apiKey = ''): Readonly<Record<string, string>> {
  return { authorization: `DeepL-Auth-Key ${apiKey}` }
}

function deeplCode(language: LanguageId): string {
  return primaryLanguage(language).toUpperCase()
}

const googleReply = z.object({
  data: z.object({ translations: z.array(z.object({ translatedText: z.string() })) }),
})

/** Google Cloud Translation, edition 2, at `POST /language/translate/v2`. */
export class GoogleTranslator extends HostedTranslator {
  readonly #options: GoogleTranslationOptions

  constructor(options: GoogleTranslationOptions, clock: Clock) {
    super('google', options, { quota: [] }, clock)
    this.#options = options
  }

  protected async request(text: string, from: LanguageId, to: LanguageId): Promise<string | undefined> {
    const { apiKey } = this.#options
    const reply = await this.http.json('/language/translate/v2', {
      // A key in the address would be in the logs of proxies.
      ...(apiKey === undefined ? {} : { headers: { 'x-goog-api-key': apiKey } }),
      json: { q: [text], source: googleCode(from), target: googleCode(to), format: 'text' },
    })
    return googleReply.safeParse(reply).data?.data.translations[0]?.translatedText
  }
}

/** Regions only where the written languages differ. */
function googleCode(language: LanguageId): string {
  return /^(zh|pt)-/.test(language) ? languageTag(language) : primaryCode(language)
}

const azureReply = z.array(z.object({ translations: z.array(z.object({ text: z.string() })) }))
const AZURE_CODES: Readonly<Record<LanguageId, string>> = {
  'zh-cn': 'zh-Hans',
  'zh-tw': 'zh-Hant',
  'pt-pt': 'pt-pt',
  'pt-br': 'pt',
  'fr-ca': 'fr-ca',
  'nb-no': 'nb',
}

/** Azure Translator, edition 3, at `POST /translate`. */
export class AzureTranslator extends HostedTranslator {
  readonly takesGlossary = true
  readonly #options: AzureTranslationOptions

  constructor(options: AzureTranslationOptions, clock: Clock) {
    super('azure', options, { quota: [403] }, clock)
    this.#options = options
  }

  protected async request(
    text: string,
    from: LanguageId,
    to: LanguageId,
    { glossary = [] }: TranslationOptions,
  ): Promise<string | undefined> {
    const { apiKey, region } = this.#options
    const code = (language: LanguageId) => AZURE_CODES[language] ?? primaryLanguage(language)
    const query = new URLSearchParams({
      ...{ 'api-version': '3.0', from: code(from), to: code(to), textType: 'plain' },
    })
    const reply = await this.http.json(`/translate?${query}`, {
      headers: {
        ...(apiKey === undefined ? {} : { 'ocp-apim-subscription-key': apiKey }),
        ...(region === undefined ? {} : { 'ocp-apim-subscription-region': region }),
      },
      json: [{ Text: withDictionary(text, glossary) }],
    })
    return azureReply.safeParse(reply).data?.[0]?.translations[0]?.text
  }
}

/** Marks fixed translations (guide "Dynamic dictionary"). */
function withDictionary(text: string, glossary: readonly GlossaryEntry[]): string {
  const matcher = new WordMatcher(glossary.map(entry => [entry.source, entry] as const))
  return matcher.replace(text, ({ source, target }) => {
    const attribute = target.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    return `<mstrans:dictionary translation="${attribute}">${source}</mstrans:dictionary>`
  })
}
