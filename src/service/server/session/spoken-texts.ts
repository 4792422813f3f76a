import type { TtsResult } from '../../contract.ts'
import { ServiceError } from '../service-error.ts'
import type { TtsParameters } from './connection-parameters.ts'
import type { Outlet } from './outlet.ts'
import { finish, type SpokenOutput } from './spoken-output.ts'
import type { Text, TextWork } from './text-intake.ts'

/** The results of `/tts`: each text is spoken and ended, also after a failure. */
export class SpokenTexts implements TextWork {
  readonly #outlet: Outlet
  readonly #parameters: TtsParameters
  readonly #output: SpokenOutput
  #closed = false

  /** Takes ownership of `output`: opens and closes it. */
  constructor(outlet: Outlet, parameters: TtsParameters, output: SpokenOutput) {
    this.#outlet = outlet
    this.#parameters = parameters
    this.#output = output
  }

  open(): Promise<boolean | string> {
    return this.#output.open()
  }

  async work({ id, text }: Text): Promise<void> {
    const { languageIdTarget } = this.#parameters
    const result: TtsResult = { id, final: true, languageIdTarget, text }
    try {
      await this.#output.say(result, text)
    } catch (cause) {
      if (this.#closed) return
      this.#outlet.fault(new ServiceError('synthesis_failed', `text ${id} could not be spoken`, { cause }))
      finish(this.#outlet, result)
    }
  }

  close(): void {
    this.#closed = true
    this.#output.close()
  }
}
