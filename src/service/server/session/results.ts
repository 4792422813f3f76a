import type { Clock } from '../../../common/clock.ts'
import {
  EVENT,
  type StandInNames,
  type StsResult,
  type SttResult,
  type TranslatorResult,
  type TtsResult,
} from '../../contract.ts'
import type { TextTranslator, Transcript } from '../../engines/engine.ts'
import type { OfferedVoice } from '../../engines/engine-set.ts'
import type { EngineUsage } from '../../engines/usage/engine-usage.ts'
import { type ErrorName, ServiceError } from '../errors.ts'
import type { StsParameters, SttParameters, TranslatorParameters, TtsParameters } from './parameters.ts'
import type { SessionOutput } from './session.ts'
import type { TextWork, TypedText } from './text-intake.ts'
import { finish, type Speak, type SpokenOutput } from './voice-output.ts'

/** Turns the transcripts of a session into events for its client. */
export interface Results {
  /** Prepares the results; resolves to the payload of `start`. */
  open(): Promise<boolean | string>
  partial(transcript: Transcript): void
  /**
   * `lateMs`: how much later than due the transcript is; `recognitionMs`: its delay after the last speech had arrived.
   */
  final(transcript: Transcript, lateMs: number, recognitionMs?: number): void
  /** Delay of the oldest unanswered utterance (ms), at any stage of the service. */
  readonly lateMs: number
  /** Drops all pending work. Idempotent. */
  close(): void
}

/** Creates the `result` of a transcript, without translation and audio. */
function sttResult(transcript: Transcript, final: boolean, languageIdSource: string): SttResult {
  const { utterance, text, startMs, endMs, language } = transcript
  return {
    ...{ id: String(utterance), final, languageIdSource, text, startMs, endMs },
    ...(final && language !== undefined ? { languageIdHeard: language } : {}),
  }
}

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

/** The results of `/stt`: transcripts in order of arrival. */
export class TranscriptResults implements Results {
  readonly lateMs = 0
  readonly #outlet: SessionOutput
  readonly #parameters: SttParameters

  constructor(outlet: SessionOutput, parameters: SttParameters) {
    this.#outlet = outlet
    this.#parameters = parameters
  }

  async open(): Promise<boolean> {
    return true
  }

  partial(transcript: Transcript): void {
    if (this.#parameters.partials) this.#emit(transcript, false)
  }

  final(transcript: Transcript): void {
    if (transcript.text === '' && !this.#parameters.partials) return
    this.#emit(transcript, true)
  }

  close(): void {}

  #emit(transcript: Transcript, final: boolean): void {
    this.#outlet.emit(EVENT.result, sttResult(transcript, final, this.#parameters.languageIdSource))
  }
}

export interface SpokenResultsOptions {
  readonly outlet: SessionOutput
  readonly parameters: StsParameters
  readonly translator: TextTranslator
  /** Speaks the translations. */
  readonly voice: OfferedVoice
  /** Delivers the speech; opened and closed by the results. */
  readonly output: SpokenOutput
  readonly clock: Clock
}

/** An utterance that waits for the previous one. */
interface Waiting {
  readonly transcript: Transcript
  /** Time at which recognition was due. */
  readonly since: number
  /** Time of recognition, and its delay after the last speech had arrived. */
  readonly at: number
  readonly recognitionMs: number | undefined
}

/**
 * The results of `/sts`: each utterance is translated, spoken and sent completely before the next one. While one is in
 * progress, partials wait, so that utterances never interleave; only the newest partial is kept.
 *
 * Every final ends with exactly one `endSynth`, right after its last `result`, also after a failure.
 */
export class SpokenResults implements Results {
  readonly #options: SpokenResultsOptions
  #line: Waiting[] = []
  #busy = false
  /** Time at which recognition of the current utterance was due. */
  #begun: number | undefined
  #closed = false
  #held: Transcript | undefined

  constructor(options: SpokenResultsOptions) {
    this.#options = options
  }

  open(): Promise<boolean | string> {
    return this.#options.output.open()
  }

  get lateMs(): number {
    const { clock, output } = this.#options
    // Time spent waiting for the client to listen does not count as late.
    return this.#begun === undefined || output.held ? 0 : clock.now() - this.#begun
  }

  partial(transcript: Transcript): void {
    if (!this.#options.parameters.partials) return
    if (this.#busy) this.#held = transcript
    else this.#options.outlet.emit(EVENT.result, this.#result(transcript, false))
  }

  final(transcript: Transcript, lateMs: number, recognitionMs?: number): void {
    this.#held = undefined
    if (transcript.text === '' && !this.#options.parameters.partials) return
    const at = this.#options.clock.now()
    this.#line.push({ transcript, since: at - lateMs, at, recognitionMs })
    if (!this.#busy) void this.#work()
  }

  close(): void {
    this.#closed = true
    this.#line = []
    this.#options.output.close()
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (let next = this.#line.shift(); next; next = this.#line.shift()) {
      this.#begun = next.since
      if (next.transcript.text === '') finish(this.#options.outlet, this.#result(next.transcript, true))
      else await this.#utter(next)
    }
    this.#busy = false
    this.#begun = undefined
    if (this.#held) this.partial(this.#held)
    this.#held = undefined
  }

  async #utter({ transcript, at, recognitionMs }: Waiting): Promise<void> {
    const { outlet, output, clock } = this.#options
    const result = this.#result(transcript, true)
    const translation = await this.#translated(transcript)
    if (translation === undefined || translation === '') return finish(outlet, result)
    const translated: StsResult = { ...result, translation }
    const translationMs = clock.now() - at
    const spent = recognitionMs === undefined ? undefined : { recognitionMs, translationMs }
    try {
      await output.say(() => translated, speaking(this.#options.voice, translation), spent)
    } catch (cause) {
      this.#fault('synthesis_failed', 'spoken', transcript, cause)
      finish(outlet, translated)
    }
  }

  async #translated(transcript: Transcript): Promise<string | undefined> {
    const { translator, parameters } = this.#options
    try {
      return await translator.translate(
        transcript.text,
        parameters.languageIdSource,
        parameters.languageIdTarget,
      )
    } catch (cause) {
      this.#fault('translation_failed', 'translated', transcript, cause)
      return undefined
    }
  }

  #fault(specific: ErrorName, what: string, { utterance }: Transcript, cause: unknown): void {
    if (this.#closed) return
    this.#options.outlet.fault(
      new ServiceError(specific, `utterance ${utterance} could not be ${what}`, { cause }),
    )
  }

  #result(transcript: Transcript, final: boolean): StsResult {
    const { languageIdSource, languageIdTarget } = this.#options.parameters
    return { ...sttResult(transcript, final, languageIdSource), languageIdTarget }
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
