import { z } from 'zod'
import type { Clock } from '../../../../core/clock.ts'
import type { LanguageId } from '../../../../core/languages.ts'
import { codesFor } from '../language-codes.ts'
import { LANGUAGE_ROWS } from '../language-ids.ts'
import { EngineHttp } from './engine-http.ts'
import { HttpTranslator, type HttpTranslatorOptions, otherLanguages } from './http-translator.ts'

export interface LibreTranslateOptions extends HttpTranslatorOptions {
  /** Languages to offer, of those the server has. None: all it has. */
  readonly languages?: readonly LanguageId[] | undefined
}

const languagesSchema = z.array(z.object({ code: z.string(), targets: z.array(z.string()).nullish() }))
const replySchema = z.object({ translatedText: z.string() })

/** Codes that the server has, each with those it translates into. */
type Offer = ReadonlyMap<string, ReadonlySet<string>>

/** LibreTranslate at `POST /translate`; offers what `GET /languages` lists. */
export class LibreTranslate extends HttpTranslator {
  readonly #key: string | undefined
  readonly #languages: readonly LanguageId[]
  readonly #offer: Offer | undefined

  private constructor(options: LibreTranslateOptions, offer: Offer | undefined, clock: Clock) {
    // The key goes into the body, which is how LibreTranslate takes it.
    super('libretranslate', { ...options, apiKey: undefined }, clock)
    this.#key = options.apiKey
    this.#languages = options.languages ?? LANGUAGE_ROWS.map(row => row.id)
    this.#offer = offer
  }

  /**
   * Asks the server for its languages. When it does not answer, those of the settings are believed; without such, it
   * rejects with an `EngineError`.
   */
  static async create(options: LibreTranslateOptions, clock: Clock): Promise<LibreTranslate> {
    const http = new EngineHttp('translation', 'libretranslate', { ...options, apiKey: undefined }, clock)
    try {
      const parsed = languagesSchema.safeParse(await http.json('/languages', { method: 'GET' }))
      if (!parsed.success) throw http.error('answered with JSON that is no list of languages')
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

  /** Believes the languages of the settings without asking. */
  static unasked(
    options: LibreTranslateOptions & { readonly languages: readonly LanguageId[] },
    clock: Clock,
  ): LibreTranslate {
    return new LibreTranslate(options, undefined, clock)
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return otherLanguages(this.#languages, from).filter(to => this.#codes(from, to) !== undefined)
  }

  protected async ask(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const [source, target] = this.#codes(from, to)!
    const key = this.#key === undefined ? {} : { api_key: this.#key }
    const reply = await this.http.json('/translate', {
      json: { q: text, source, target, format: 'text', ...key },
    })
    const parsed = replySchema.safeParse(reply)
    if (!parsed.success) throw this.http.error('answered with JSON that has no translation')
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
