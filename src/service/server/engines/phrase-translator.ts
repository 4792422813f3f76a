import type { LanguageId } from '../../../common/language.ts'
import type { Phrasebook } from './phrasebook.ts'
import type { TextTranslator } from './text-translator.ts'

/** A translator that consults a phrasebook first. Owns the underlying translator, and supports the same languages. */
export class PhraseTranslator implements TextTranslator {
  readonly name: string
  readonly #phrasebook: Phrasebook
  readonly #translator: TextTranslator

  constructor(phrasebook: Phrasebook, translator: TextTranslator) {
    this.name = translator.name
    this.#phrasebook = phrasebook
    this.#translator = translator
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return this.#translator.targets(from)
  }

  prepare(from: LanguageId, to: LanguageId): void {
    this.#translator.prepare(from, to)
  }

  async translate(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const phrase = this.targets(from).includes(to) ? this.#phrasebook.lookup(text, from, to) : undefined
    return phrase ?? this.#translator.translate(text, from, to)
  }

  close(): Promise<void> {
    return this.#translator.close()
  }
}
