import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import { type LanguageId, primaryLanguage } from '../../../common/language.ts'
import {
  keyFields,
  listedEngine,
  type SettingsOf,
  serverEntry,
  translatedLanguages,
  urlField,
} from '../definition.ts'
import type { GlossaryEntry, TranslatedTurn, TranslationOptions } from '../engine.ts'
import type { EngineHttp } from '../wire/http-client.ts'
import { HostedTranslator } from '../wire/http-translator.ts'

const settings = serverEntry('deepl', {
  url: urlField('https://api.deepl.com'),
  ...keyFields,
  languages: translatedLanguages,
  formality: z
    .enum(['default', 'prefer_more', 'prefer_less'])
    .default('default')
    .meta({ about: 'Politeness of the translations, where the language has it.' }),
})
type Settings = SettingsOf<typeof settings>

export const deepl = listedEngine({
  kind: 'translation',
  schema: settings,
  key: { variable: 'DEEPL_API_KEY', hosts: /^api(-free)?\.deepl\.com$/ },
  create: (choice, { clock }) => new DeepLTranslator(choice, clock),
})

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
  readonly #options: Settings
  readonly #glossaries: DeepLGlossaries

  constructor(options: Settings, clock: Clock) {
    super('deepl', options, { quota: [456] }, clock)
    this.#options = options
    this.#glossaries = new DeepLGlossaries(this.http, deeplHeaders(options.apiKey), clock)
  }

  protected async request(
    text: string,
    from: LanguageId,
    to: LanguageId,
    { glossary = [], about, context = [] }: TranslationOptions,
  ): Promise<string | undefined> {
    const { apiKey, formality } = this.#options
    const languages = { source: deeplCode(from), target: deeplCode(to) }
    const glossaryId = await this.#glossaries.idOf({ ...languages, entries: glossary })
    const reply = await this.http.json('/v2/translate', {
      headers: deeplHeaders(apiKey),
      json: {
        text: [text],
        source_lang: deeplCode(from),
        target_lang: DEEPL_TARGETS[to] ?? deeplCode(to),
        model_type: 'latency_optimized',
        formality: formality === 'default' ? undefined : formality,
        glossary_id: glossaryId,
        context: contextOf(about, context),
      },
    })
    return deeplReply.safeParse(reply).data?.translations[0]?.text
  }
}

/** The topic, and what was said before in the source language (API reference, `context`): neither is translated nor billed. */
function contextOf(about: string | undefined, turns: readonly TranslatedTurn[]): string | undefined {
  const said = turns.map(({ source }) => source).join(' ')
  return [about, said].filter(Boolean).join('\n') || undefined
}

function deeplHeaders(apiKey = ''): Readonly<Record<string, string>> {
  return { authorization: `DeepL-Auth-Key ${apiKey}` }
}

function deeplCode(language: LanguageId): string {
  return primaryLanguage(language).toUpperCase()
}

/** A glossary of one direction, with languages as DeepL names them (`EN`). */
interface GlossaryRequest {
  readonly source: string
  readonly target: string
  readonly entries: readonly GlossaryEntry[]
}

const listSchema = z.object({
  glossaries: z.array(z.object({ glossary_id: z.string(), name: z.string(), ready: z.boolean() })),
})
const madeSchema = z.object({ glossary_id: z.string() })

/** Time after which a glossary that could not be made is tried again (ms). Until then, texts are translated without. */
const RETRY_MS = 10 * 60_000

/**
 * Glossaries of an account at DeepL (API reference, "Monolingual glossaries", `/v2/glossaries`). They cannot be changed,
 * so the name of one contains a digest of its entries: a known one is used again, by all servers of an account.
 */
class DeepLGlossaries {
  readonly #http: EngineHttp
  readonly #headers: Readonly<Record<string, string>>
  readonly #clock: Clock
  readonly #known = new Map<string, { readonly id: Promise<string | undefined>; readonly until: number }>()

  constructor(http: EngineHttp, headers: Readonly<Record<string, string>>, clock: Clock) {
    this.#http = http
    this.#headers = headers
    this.#clock = clock
  }

  /** Returns the id of a glossary with these entries, which it creates if missing; undefined without entries. */
  async idOf(request: GlossaryRequest): Promise<string | undefined> {
    if (request.entries.length === 0) return undefined
    const key = `${request.source} ${request.target}`
    const known = this.#known.get(key)
    if (known && known.until > this.#clock.now()) return known.id
    const id = this.#find(request)
    const entry = { id: id.catch(() => undefined), until: Number.POSITIVE_INFINITY }
    this.#known.set(key, entry)
    id.catch(() => this.#known.set(key, { ...entry, until: this.#clock.now() + RETRY_MS }))
    return entry.id
  }

  async #find({ source, target, entries }: GlossaryRequest): Promise<string> {
    // A glossary can contain a source term only once.
    const terms = new Map(entries.map(entry => [entry.source, entry.target] as const))
    const text = Array.from(terms, ([term, translation]) => `${term}\t${translation}`).join('\n')
    const name = `dragoman ${source} ${target} ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
    const headers = this.#headers
    const list = listSchema.parse(await this.#http.json('/v2/glossaries', { method: 'GET', headers }))
    const same = list.glossaries.find(each => each.name === name && each.ready)
    if (same) return same.glossary_id
    const json = { name, source_lang: source, target_lang: target, entries: text, entries_format: 'tsv' }
    return madeSchema.parse(await this.#http.json('/v2/glossaries', { headers, json })).glossary_id
  }
}
