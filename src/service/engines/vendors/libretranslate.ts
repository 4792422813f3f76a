import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { languagesSchema, listedEngine, type SettingsOf, serverEntry, serverFields } from '../definition.ts'
import { codesFor, LANGUAGE_ROWS } from '../languages.ts'
import { EngineHttp } from '../wire/http-client.ts'
import { HttpTranslator, otherLanguages } from '../wire/http-translator.ts'

const settings = serverEntry('libretranslate', { ...serverFields, languages: languagesSchema.optional() })
type Settings = SettingsOf<typeof settings>

export const libreTranslate = listedEngine({
  kind: 'translation',
  schema: settings,
  // It takes its key in the body, and lists its languages without one.
  question: { path: '/languages', keyless: true },
  create: (choice, { clock }) => LibreTranslate.create(choice, clock),
})

const offerSchema = z.array(z.object({ code: z.string(), targets: z.array(z.string()).nullish() }))
const replySchema = z.object({ translatedText: z.string() })

/** Language codes of the server, each with its targets. */
type Offer = ReadonlyMap<string, ReadonlySet<string>>

/** LibreTranslate at `POST /translate`; offers the languages of `GET /languages`. */
export class LibreTranslate extends HttpTranslator {
  readonly #key: string | undefined
  readonly #languages: readonly LanguageId[]
  readonly #offer: Offer | undefined

  /** Without the `offer` of the server, the languages of the settings apply. */
  constructor(options: Settings, offer: Offer | undefined, clock: Clock) {
    // LibreTranslate expects the key in the body.
    super('libretranslate', { ...options, apiKey: undefined }, clock)
    this.#key = options.apiKey
    this.#languages = options.languages ?? LANGUAGE_ROWS.map(row => row.id)
    this.#offer = offer
  }

  /**
   * Requests the languages of the server. If it does not respond, the languages of the settings apply; without any,
   * rejects with an `EngineError`.
   */
  static async create(options: Settings, clock: Clock): Promise<LibreTranslate> {
    const http = new EngineHttp('translation', 'libretranslate', { ...options, apiKey: undefined }, clock)
    try {
      const parsed = offerSchema.safeParse(await http.json('/languages', { method: 'GET' }))
      if (!parsed.success) throw http.error('returned JSON that is not a list of languages')
      const codes = parsed.data.map(({ code }) => code)
      const offer = parsed.data.map(({ code, targets }) => [code, new Set(targets ?? codes)] as const)
      return new LibreTranslate(options, new Map(offer), clock)
    } catch (error) {
      if (options.languages === undefined) throw error
      return new LibreTranslate(options, undefined, clock)
    } finally {
      http.close()
    }
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return otherLanguages(this.#languages, from).filter(to => this.#codes(from, to) !== undefined)
  }

  protected async ask(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const [source, target] = this.#codes(from, to)!
    const reply = await this.http.json('/translate', {
      json: { q: text, source, target, format: 'text', api_key: this.#key },
    })
    const parsed = replySchema.safeParse(reply)
    if (!parsed.success) throw this.http.error('returned JSON without a translation')
    return parsed.data.translatedText
  }

  #codes(from: LanguageId, to: LanguageId): readonly [source: string, target: string] | undefined {
    if (!this.#offer) return [codesFor(from).at(-1)!, codesFor(to).at(-1)!]
    for (const source of codesFor(from)) {
      const target = codesFor(to).find(code => this.#offer?.get(source)?.has(code))
      if (target !== undefined) return [source, target]
    }
    return undefined
  }
}
