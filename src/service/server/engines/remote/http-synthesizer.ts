import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import type { VoiceEntry } from '../../../contract.ts'
import { begunSpeech } from '../begun-speech.ts'
import { languageRow } from '../language-ids.ts'
import type { Speech, Synthesizer } from '../synthesizer.ts'
import { textPieces } from '../text-pieces.ts'
import { EngineHttp, type EngineHttpOptions } from './engine-http.ts'
import { HttpFault } from './http-fault.ts'
import type { SpokenAnswer } from './spoken-answer.ts'

/** A voice of a server. The settings supply what the server does not report: the gender and usually the language. */
export interface ServerVoice {
  /** Name of the voice at the server. */
  readonly voice: string
  readonly languages: readonly LanguageId[]
  readonly gender: 'M' | 'F'
}

export interface HttpSynthesizerOptions extends EngineHttpOptions {
  readonly voices: readonly ServerVoice[]
  /** True if its voices are neural. */
  readonly neural: boolean
}

/** Characters that can be spoken. */
const WORDS = /[\p{L}\p{N}\p{S}]/u

/** Base class of speech synthesis over HTTP. */
export abstract class HttpSynthesizer implements Synthesizer {
  readonly name: string
  readonly voices: readonly VoiceEntry[]
  protected readonly http: EngineHttp
  readonly #known: ReadonlyMap<string, ServerVoice>
  /** Maximum text length of one request. */
  readonly #mostLetters: number

  protected constructor(
    { name, prefix, mostLetters }: { name: string; prefix: string; mostLetters: number },
    options: HttpSynthesizerOptions,
    clock: Clock,
  ) {
    this.name = name
    this.#mostLetters = mostLetters
    this.http = new EngineHttp('synthesis', name, options, clock)
    const offered = options.voices.flatMap(voice =>
      voice.languages.map(language => ({ voice, entry: entryOf(voice, language, prefix, options.neural) })),
    )
    this.voices = offered.map(({ entry }) => entry)
    this.#known = new Map(offered.map(({ voice, entry }) => [entry.voiceId, voice]))
  }

  /**
   * Requests the synthesis of one piece of text. Throws an `EngineError`, or an `HttpFault` that is converted to one.
   */
  protected abstract ask(text: string, voice: ServerVoice, signal: AbortSignal): Promise<SpokenAnswer>

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    const voice = this.#known.get(voiceId)
    if (!voice) throw new RangeError(`${this.name} has ${this.voices.length} voices, not "${voiceId}"`)
    const texts = WORDS.test(text) ? textPieces(text, this.#mostLetters) : []
    const started = { rate: 0 }
    return begunSpeech(this.#pieces(texts, voice, signal, started), () => started.rate || FALLBACK_RATE)
  }

  async close(): Promise<void> {
    this.http.close()
  }

  async *#pieces(
    texts: readonly string[],
    voice: ServerVoice,
    signal: AbortSignal,
    started: { rate: number },
  ): AsyncGenerator<Int16Array> {
    try {
      for (const text of texts) {
        if (signal.aborted) return
        const answer = await this.ask(text, voice, signal)
        for await (const piece of answer.pieces()) {
          if (signal.aborted) return
          started.rate ||= answer.rate
          if (answer.rate !== started.rate) throw new HttpFault('changed its rate within one utterance')
          yield piece
        }
      }
    } catch (error) {
      if (signal.aborted) return
      throw error instanceof HttpFault ? this.http.error(error.message, error) : error
    }
  }
}

/** Sample rate of an utterance without speech (Hz). */
const FALLBACK_RATE = 16_000

function entryOf(voice: ServerVoice, language: LanguageId, prefix: string, neural: boolean): VoiceEntry {
  const place = languageRow(language)?.name ?? language
  return {
    voiceId: `${prefix}-${language}-${voice.voice}`,
    name: `${place}, ${voice.voice}`,
    languageId: language,
    voiceGender: voice.gender,
    voiceEngine: neural ? 'neural' : 'standard',
    modes: ['block', 'streaming'],
  }
}
