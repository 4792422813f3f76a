import {
  EVENT,
  type StandInNames,
  type SttResult,
  type TranslatorResult,
  type TtsResult,
} from '../../contract.ts'
import type { TextTranslator } from '../../engines/engine.ts'
import type { OfferedVoice } from '../../engines/engine-set.ts'
import type { EngineUsage } from '../../engines/usage/engine-usage.ts'
import { ServiceError } from '../errors.ts'
import type { TranslatorParameters, TtsParameters } from './parameters.ts'
import type { SessionOutput } from './session.ts'
import type { TextWork, TypedText } from './text-intake.ts'
import { finish, type Speak, type SpokenOutput } from './voice-output.ts'

/**
 * Adds `standIns` to the final results of a session while other engines serve instead of the `preferred` ones, and
 * passes on everything else unchanged.
 */
export function withStandIns(
  outlet: SessionOutput,
  preferred: StandInNames,
  usage: Pick<EngineUsage, 'standIn'>,
): SessionOutput {
  const kinds = Object.keys(preferred) as (keyof StandInNames)[]
  const current = (): StandInNames | undefined => {
    let names: StandInNames | undefined
    for (const kind of kinds) {
      const name = usage.standIn(kind, preferred[kind] ?? '')
      if (name !== undefined) names = { ...names, [kind]: name }
    }
    return names
  }
  return {
    emit(event, payload) {
      const standIns = event === EVENT.result && (payload as SttResult).final ? current() : undefined
      outlet.emit(event, standIns ? { ...(payload as object), standIns } : payload)
    },
    fault: error => outlet.fault(error),
    room: () => outlet.room(),
  }
}

/** Speaks `text` with `voice`. */
function speaking({ engine, entry }: OfferedVoice, text: string): Speak {
  return signal => engine.speak(text, entry.voiceId, signal)
}

/** The results of `/tts`: each text is spoken and ended, also after a failure. */
export class SpokenTexts implements TextWork {
  readonly #outlet: SessionOutput
  readonly #parameters: TtsParameters
  readonly #voice: OfferedVoice
  readonly #output: SpokenOutput
  #closed = false

  /** Takes ownership of `output`: opens and closes it. */
  constructor(outlet: SessionOutput, parameters: TtsParameters, voice: OfferedVoice, output: SpokenOutput) {
    this.#outlet = outlet
    this.#parameters = parameters
    this.#voice = voice
    this.#output = output
  }

  open(): Promise<boolean | string> {
    return this.#output.open()
  }

  async work({ id, text }: TypedText): Promise<void> {
    const { languageIdTarget } = this.#parameters
    const result: TtsResult = { id, final: true, languageIdTarget, text }
    try {
      await this.#output.say(() => result, speaking(this.#voice, text))
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

/** The results of `/translator`: one per text, also after a failure. */
export class TranslatedTexts implements TextWork {
  readonly #outlet: SessionOutput
  readonly #parameters: TranslatorParameters
  readonly #translator: TextTranslator

  constructor(outlet: SessionOutput, parameters: TranslatorParameters, translator: TextTranslator) {
    this.#outlet = outlet
    this.#parameters = parameters
    this.#translator = translator
  }

  async open(): Promise<boolean> {
    return true
  }

  async work({ id, text }: TypedText): Promise<void> {
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
