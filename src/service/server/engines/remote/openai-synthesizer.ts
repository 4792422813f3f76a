import type { Clock } from '../../../../common/clock.ts'
import { HttpSynthesizer, type HttpSynthesizerOptions, type ServerVoice } from './http-synthesizer.ts'
import { SpokenAnswer, type SpokenFormat } from './spoken-answer.ts'

export interface OpenAiSynthesizerOptions extends HttpSynthesizerOptions {
  readonly model: string
  /** Requested format; the response is decoded by its content type. */
  readonly format: SpokenFormat
  /** Sample rate of headerless samples (Hz). */
  readonly pcmRate: number
  /** 1 is the normal speed. */
  readonly speed: number
}

/** Maximum length of `input` in one request. */
const MOST_LETTERS = 4_096

/** Speech synthesis at `POST /v1/audio/speech`. */
export class OpenAiSynthesizer extends HttpSynthesizer {
  readonly #options: OpenAiSynthesizerOptions

  constructor(options: OpenAiSynthesizerOptions, clock: Clock) {
    super({ name: 'openai-speech', prefix: 'openai', mostLetters: MOST_LETTERS }, options, clock)
    this.#options = options
  }

  protected async ask(input: string, { voice }: ServerVoice, signal: AbortSignal): Promise<SpokenAnswer> {
    const { model, format, speed, pcmRate } = this.#options
    const answer = await this.http.open('/v1/audio/speech', {
      // Some models reject `speed`, even when it is the default.
      json: { model, input, voice, response_format: format, ...(speed === 1 ? {} : { speed }) },
      signal,
    })
    return new SpokenAnswer(answer, format, pcmRate)
  }
}
