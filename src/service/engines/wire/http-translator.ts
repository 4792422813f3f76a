import type { Clock } from '../../../common/clock.ts'
import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { TextTranslator, TranslationOptions } from '../engine.ts'
import type { HttpTranslatorOptions } from '../fields.ts'
import { normalized, sentence } from '../text-normalization.ts'
import { EngineHttp } from './http-client.ts'

/**
 * Runs a few calls at a time and settles them in order, so that translations of one speaker never overtake each other,
 * however fast a server responds.
 */
class OrderedCalls {
  readonly #most: number
  #running = 0
  #line: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()

  /** Runs at most `most` calls at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Number of running and waiting calls. */
  get size(): number {
    return this.#running + this.#line.length
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
    if (this.#running >= this.#most) await new Promise<void>(resolve => this.#line.push(resolve))
    else this.#running++
    try {
      return await call()
    } finally {
      const next = this.#line.shift()
      if (next) next()
      else this.#running--
    }
  }
}

/** Matches text with something to translate: a letter or a digit. */
const WORDS = /[\p{L}\p{N}]/u

/** Base class of translation over HTTP: language pairs, order, limits, and normalized text. */
export abstract class HttpTranslator implements TextTranslator {
  readonly name: string
  protected readonly http: EngineHttp
  readonly #options: HttpTranslatorOptions
  readonly #calls = new Map<string, OrderedCalls>()

  protected constructor(name: string, options: HttpTranslatorOptions, clock: Clock) {
    this.name = name
    this.#options = options
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
    if (calls.size >= this.#options.maxWaiting)
      throw this.http.error(`${calls.size} translations are waiting already`)
    return calls.run(async () => {
      const answer = WORDS.test(line) ? await this.ask(line, from, to, options) : ''
      return sentence(answer.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    })
  }

  async close(): Promise<void> {
    this.http.close()
  }

  #callsFor(pair: string): OrderedCalls {
    const calls = this.#calls.get(pair) ?? new OrderedCalls(this.#options.parallel)
    this.#calls.set(pair, calls)
    return calls
  }
}

/** Returns all `languages` except `from`, or none if `from` is not among them. */
export function otherLanguages(languages: readonly LanguageId[], from: LanguageId): LanguageId[] {
  return languages.includes(from) ? languages.filter(to => !sameLanguage(from, to)) : []
}
