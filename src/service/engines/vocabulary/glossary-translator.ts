import type { LanguageId } from '../../../common/language.ts'
import type { EngineReport, TextTranslator } from '../engine.ts'
import type { Vocabulary } from './vocabulary.ts'
import { WordMatcher, withoutMarks } from './word-matcher.ts'

/**
 * Applies a glossary around a translator that has none: terms are replaced by their translations before it sees the
 * text, because translators leave words that they do not know. If one of them is not in the result, as when it is also
 * a word of the source language, the original text is translated. Owns the translator.
 */
export class GlossaryTranslator implements TextTranslator {
  readonly name: string
  readonly #translator: TextTranslator
  readonly #vocabulary: Vocabulary
  readonly #matchers = new Map<string, WordMatcher<string>>()
  /** The last translation of each pair, which settles before the next one. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(translator: TextTranslator, vocabulary: Vocabulary) {
    this.name = translator.name
    this.#translator = translator
    this.#vocabulary = vocabulary
  }

  onReport(listener: (report: EngineReport) => void): void {
    this.#translator.onReport?.(listener)
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return this.#translator.targets(from)
  }

  prepare(from: LanguageId, to: LanguageId): void {
    this.#translator.prepare(from, to)
  }

  async translate(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    // The translator rejects a pair that it does not list.
    if (!this.targets(from).includes(to)) return this.#translator.translate(text, from, to)
    const pair = `${from} ${to}`
    const before = this.#last.get(pair)
    const result = this.#translated(text, from, to, pair)
    const settled = Promise.allSettled([before, result])
    this.#last.set(pair, settled)
    await settled
    return result
  }

  close(): Promise<void> {
    return this.#translator.close()
  }

  async #translated(text: string, from: LanguageId, to: LanguageId, pair: string): Promise<string> {
    const terms: string[] = []
    const replaced = this.#matcher(from, to, pair).replace(text, term => {
      terms.push(term)
      return term
    })
    const translation = await this.#translator.translate(replaced, from, to)
    const plain = withoutMarks(translation)
    if (terms.every(term => plain.includes(withoutMarks(term)))) return translation
    return this.#translator.translate(text, from, to)
  }

  #matcher(from: LanguageId, to: LanguageId, pair: string): WordMatcher<string> {
    const known = this.#matchers.get(pair)
    if (known) return known
    const entries = this.#vocabulary.glossary(from, to)
    const matcher = new WordMatcher(entries.map(({ source, target }) => [source, target] as const))
    this.#matchers.set(pair, matcher)
    return matcher
  }
}
