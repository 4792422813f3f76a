import type { LanguageId } from '../../../src/common/language.ts'
import type { TextTranslator } from '../../../src/service/engines/engine.ts'

/** Possible faults, one per check of the suite. */
export interface TranslatorFaults {
  readonly sameLanguage?: boolean
  readonly speechless?: boolean
  readonly takesAnyPair?: boolean
  readonly mixesAnswers?: boolean
  readonly chokes?: boolean
  readonly livesOn?: boolean
}

/** A translator of three words, correct except for `faults`. */
export class ToyTranslator implements TextTranslator {
  readonly name = 'toy'
  readonly #faults: TranslatorFaults
  #closed = false
  #waiting: (() => void)[] = []

  constructor(faults: TranslatorFaults = {}) {
    this.#faults = faults
  }

  targets(from: LanguageId): readonly LanguageId[] {
    if (from !== 'en-us') return []
    return this.#faults.sameLanguage ? ['es-es', 'en-gb'] : ['es-es']
  }

  prepare(): void {}

  async translate(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const { takesAnyPair, mixesAnswers, chokes, livesOn, speechless } = this.#faults
    if (!takesAnyPair && !this.targets(from).includes(to)) throw new RangeError(`${from} ${to}`)
    if (this.#closed && !livesOn) throw new Error('closed')
    if (chokes && text.includes('\0')) throw new Error('choked')
    if (mixesAnswers) await this.#lastFirst()
    if (speechless) return text
    return text
      .replaceAll('house', mixesAnswers && this.#waiting.length > 5 ? 'perro' : 'casa')
      .replaceAll('dog', 'perro')
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  /** Mixes up requests that arrived together. */
  async #lastFirst(): Promise<void> {
    const turn = new Promise<void>(resolve => this.#waiting.push(resolve))
    setImmediate(() => this.#waiting.pop()?.())
    await turn
  }
}
