import { EVENT, type TranslatorResult } from '../../contract.ts'
import type { TextTranslator } from '../engines/text-translator.ts'
import { ServiceError } from '../service-error.ts'
import type { TranslatorParameters } from './connection-parameters.ts'
import type { Outlet } from './outlet.ts'
import type { Text, TextWork } from './text-intake.ts'

/** The results of `/translator`: one per text, also after a failure. */
export class TranslatedTexts implements TextWork {
  readonly #outlet: Outlet
  readonly #parameters: TranslatorParameters
  readonly #translator: TextTranslator

  constructor(outlet: Outlet, parameters: TranslatorParameters, translator: TextTranslator) {
    this.#outlet = outlet
    this.#parameters = parameters
    this.#translator = translator
  }

  async open(): Promise<boolean> {
    return true
  }

  async work({ id, text }: Text): Promise<void> {
    const { languageIdSource, languageIdTarget } = this.#parameters
    const result: TranslatorResult = { id, final: true, languageIdSource, languageIdTarget, text }
    try {
      const translation = await this.#translator.translate(text, languageIdSource, languageIdTarget)
      this.#outlet.emit(EVENT.result, { ...result, translation } satisfies TranslatorResult)
    } catch (cause) {
      this.#outlet.fault(
        new ServiceError('translation_failed', `text ${id} could not be translated`, { cause }),
      )
      this.#outlet.emit(EVENT.result, result)
    }
  }

  close(): void {}
}
