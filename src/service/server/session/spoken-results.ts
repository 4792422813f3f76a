import type { Clock } from '../../../common/clock.ts'
import { EVENT, type StsResult } from '../../contract.ts'
import type { Transcript } from '../engines/speech-to-text.ts'
import type { TextTranslator } from '../engines/text-translator.ts'
import type { ErrorName } from '../error-table.ts'
import { ServiceError } from '../service-error.ts'
import type { StsParameters } from './connection-parameters.ts'
import type { Outlet } from './outlet.ts'
import { finish, type SpokenOutput } from './spoken-output.ts'
import { type Results, sttResult } from './transcript-results.ts'

export interface SpokenResultsParts {
  readonly outlet: Outlet
  readonly parameters: StsParameters
  readonly translator: TextTranslator
  /** Speaks the translations; opened and closed by the results. */
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
  readonly #parts: SpokenResultsParts
  #line: Waiting[] = []
  #busy = false
  /** Time at which recognition of the current utterance was due. */
  #begun: number | undefined
  #closed = false
  #held: Transcript | undefined

  constructor(parts: SpokenResultsParts) {
    this.#parts = parts
  }

  open(): Promise<boolean | string> {
    return this.#parts.output.open()
  }

  get lateMs(): number {
    const { clock, output } = this.#parts
    // Time spent waiting for the client to listen does not count as late.
    return this.#begun === undefined || output.held ? 0 : clock.now() - this.#begun
  }

  partial(transcript: Transcript): void {
    if (!this.#parts.parameters.partials) return
    if (this.#busy) this.#held = transcript
    else this.#parts.outlet.emit(EVENT.result, this.#result(transcript, false))
  }

  final(transcript: Transcript, lateMs: number, recognitionMs?: number): void {
    this.#held = undefined
    if (transcript.text === '' && !this.#parts.parameters.partials) return
    const at = this.#parts.clock.now()
    this.#line.push({ transcript, since: at - lateMs, at, recognitionMs })
    if (!this.#busy) void this.#work()
  }

  close(): void {
    this.#closed = true
    this.#line = []
    this.#parts.output.close()
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (let next = this.#line.shift(); next; next = this.#line.shift()) {
      this.#begun = next.since
      if (next.transcript.text === '') finish(this.#parts.outlet, this.#result(next.transcript, true))
      else await this.#utter(next)
    }
    this.#busy = false
    this.#begun = undefined
    if (this.#held) this.partial(this.#held)
    this.#held = undefined
  }

  async #utter({ transcript, at, recognitionMs }: Waiting): Promise<void> {
    const { outlet, output, clock } = this.#parts
    const result = this.#result(transcript, true)
    const translation = await this.#translated(transcript)
    if (translation === undefined || translation === '') return finish(outlet, result)
    const translated: StsResult = { ...result, translation }
    const translationMs = clock.now() - at
    const spent = recognitionMs === undefined ? undefined : { recognitionMs, translationMs }
    try {
      await output.say(translated, translation, spent)
    } catch (cause) {
      this.#fault('synthesis_failed', 'spoken', transcript, cause)
      finish(outlet, translated)
    }
  }

  async #translated(transcript: Transcript): Promise<string | undefined> {
    const { translator, parameters } = this.#parts
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
    this.#parts.outlet.fault(
      new ServiceError(specific, `utterance ${utterance} could not be ${what}`, { cause }),
    )
  }

  #result(transcript: Transcript, final: boolean): StsResult {
    const { languageIdSource, languageIdTarget } = this.#parts.parameters
    return { ...sttResult(transcript, final, languageIdSource), languageIdTarget }
  }
}
