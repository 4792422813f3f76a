import type { Clock } from '../../../common/clock.ts'
import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { EngineHttpOptions } from '../definition.ts'
import { EngineError, type TextTranslator, type TranslationOptions } from '../engine.ts'
import { normalized, sentence } from '../text-normalization.ts'
import { EngineHttp, HttpFault } from './http-client.ts'
import { Places } from './places.ts'

/** Requests of a language pair at a time, and maximum number of requests that run or wait. */
const AT_ONCE = 4
const MOST_WAITING = 100

/**
 * Runs a few calls at a time and settles them in order, so that translations of one speaker never overtake each other,
 * however fast a server responds.
 */
class OrderedCalls {
  readonly #places = new Places(AT_ONCE)
  #last: Promise<unknown> = Promise.resolve()

  /** Number of running and waiting calls. */
  get size(): number {
    return this.#places.users
  }

  run<T>(call: () => Promise<T>): Promise<T> {
    const before = this.#last
    const result = this.#start(call)
    const inTurn = before.then(() => result)
    // The caller handles a failure; later calls only wait for it to settle.
    this.#last = Promise.allSettled([before, result])
    result.catch(() => {})
    return inTurn
  }

  async #start<T>(call: () => Promise<T>): Promise<T> {
    using _place = await this.#places.take()
    return await call()
  }
}

/** Matches text with something to translate: a letter or a digit. */
const WORDS = /[\p{L}\p{N}]/u

/** Base class of translation over HTTP: language pairs, order, limits, and normalized text. */
export abstract class HttpTranslator implements TextTranslator {
  readonly name: string
  protected readonly http: EngineHttp
  readonly #calls = new Map<string, OrderedCalls>()

  protected constructor(name: string, options: EngineHttpOptions, clock: Clock) {
    this.name = name
    this.http = new EngineHttp('translation', name, options, clock)
  }

  abstract targets(from: LanguageId): readonly LanguageId[]

  /** Requests one translation from the server. */
  protected abstract ask(
    text: string,
    from: LanguageId,
    to: LanguageId,
    options: TranslationOptions,
  ): Promise<string>

  prepare(): void {}

  async translate(
    text: string,
    from: LanguageId,
    to: LanguageId,
    options: TranslationOptions = {},
  ): Promise<string> {
    if (!this.targets(from).includes(to))
      throw new RangeError(`${this.name} translates ${from} into ${this.targets(from).join(', ')}, not ${to}`)
    const line = normalized(text, from)
    const calls = this.#callsFor(`${from} ${to}`)
    if (calls.size >= MOST_WAITING) throw this.http.error(`${calls.size} translations are waiting already`)
    return calls.run(async () => {
      const answer = WORDS.test(line) ? await this.ask(line, from, to, options) : ''
      return sentence(answer.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    })
  }

  async close(): Promise<void> {
    this.http.close()
  }

  #callsFor(pair: string): OrderedCalls {
    const calls = this.#calls.get(pair) ?? new OrderedCalls()
    this.#calls.set(pair, calls)
    return calls
  }
}

/** Returns all `languages` except `from`, or none if `from` is not among them. */
export function otherLanguages(languages: readonly LanguageId[], from: LanguageId): LanguageId[] {
  return languages.includes(from) ? languages.filter(to => !sameLanguage(from, to)) : []
}

/** Time without requests after a quota is used up (ms): it does not return in a moment, and another engine serves. */
const QUOTA_REST_MS = 60 * 60_000

/** Translation by a hosted service with one request for each text. */
export abstract class HostedTranslator extends HttpTranslator {
  readonly #languages: readonly LanguageId[]
  /** Statuses that mean that the quota is used up. */
  readonly #quota: readonly number[]

  protected constructor(
    name: string,
    options: EngineHttpOptions & { readonly languages: readonly LanguageId[] },
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
