import { type EndSynth, EVENT, type StsResult } from '../contract.ts'
import type { Channel } from './channel.ts'
import type { StsParameters } from './connection-parameters.ts'
import type { OfferedVoice } from './engines/engine-set.ts'
import type { Mp3Rate } from './engines/mp3-encoder.ts'
import type { Transcript } from './engines/speech-to-text.ts'
import type { TextTranslator } from './engines/text-translator.ts'
import type { ErrorName } from './error-table.ts'
import { ServiceError } from './service-error.ts'
import { spokenMp3 } from './spoken-mp3.ts'
import { type Results, sttResult } from './transcript-results.ts'

export interface SpokenResultsParts {
  readonly channel: Channel
  readonly parameters: StsParameters
  readonly translator: TextTranslator
  readonly voice: OfferedVoice
  /** Told about an utterance that could not be translated or spoken. */
  readonly fault: (error: ServiceError) => void
}

/**
 * The results of `/sts`: each utterance translated, spoken and sent as a whole before the next one. While one is on
 * its way, partials wait, so that utterances never mix; only the newest partial is worth keeping.
 * Every final ends with exactly one `endSynth`, right after its last `result`, also when it failed.
 */
export class SpokenResults implements Results {
  readonly #parts: SpokenResultsParts
  readonly #closed = new AbortController()
  #line: Transcript[] = []
  #busy = false
  #held: Transcript | undefined

  constructor(parts: SpokenResultsParts) {
    this.#parts = parts
  }

  partial(transcript: Transcript): void {
    if (!this.#parts.parameters.partials) return
    if (this.#busy) this.#held = transcript
    else this.#emit(transcript, false)
  }

  final(transcript: Transcript): void {
    this.#held = undefined
    if (transcript.text === '' && !this.#parts.parameters.partials) return
    this.#line.push(transcript)
    if (!this.#busy) void this.#work()
  }

  close(): void {
    this.#closed.abort()
    this.#line = []
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (let next = this.#line.shift(); next; next = this.#line.shift()) {
      if (next.text === '') this.#finish(next)
      else await this.#utter(next)
    }
    this.#busy = false
    if (this.#held) this.partial(this.#held)
    this.#held = undefined
  }

  async #utter(transcript: Transcript): Promise<void> {
    const translation = await this.#translated(transcript)
    if (translation === undefined || translation === '') return this.#finish(transcript)
    try {
      await this.#speak(transcript, translation)
    } catch (cause) {
      this.#fault('synthesis_failed', 'spoken', transcript, cause)
      this.#finish(transcript, translation)
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

  async #speak(transcript: Transcript, translation: string): Promise<void> {
    const { sampleRate, mode } = this.#parts.parameters.receiveAudio
    const rate = sampleRate as Mp3Rate
    const whole: Uint8Array[] = []
    for await (const data of spokenMp3(this.#parts.voice, translation, rate, this.#closed.signal)) {
      if (mode === 'block') whole.push(data)
      else this.#emit(transcript, true, { translation, file: { data, codec: 'mp3', sampleRate } })
    }
    if (mode === 'block') {
      const data = Buffer.concat(whole)
      this.#emit(transcript, true, { translation, file: { data, codec: 'mp3', sampleRate } })
    }
    this.#endSynth(transcript)
  }

  /** An utterance without a voice: nothing to say, or something failed. */
  #finish(transcript: Transcript, translation?: string): void {
    this.#emit(transcript, true, translation === undefined ? {} : { translation })
    this.#endSynth(transcript)
  }

  #fault(specific: ErrorName, what: string, { utterance }: Transcript, cause: unknown): void {
    if (this.#closed.signal.aborted) return
    this.#parts.fault(new ServiceError(specific, `utterance ${utterance} could not be ${what}`, { cause }))
  }

  #emit(transcript: Transcript, final: boolean, more: Pick<StsResult, 'translation' | 'file'> = {}): void {
    if (this.#closed.signal.aborted) return
    const { languageIdSource, languageIdTarget } = this.#parts.parameters
    const result: StsResult = { ...sttResult(transcript, final, languageIdSource), languageIdTarget, ...more }
    this.#parts.channel.emit(EVENT.result, result)
  }

  #endSynth({ utterance }: Transcript): void {
    if (this.#closed.signal.aborted) return
    this.#parts.channel.emit(EVENT.endSynth, { id: String(utterance) } satisfies EndSynth)
  }
}
