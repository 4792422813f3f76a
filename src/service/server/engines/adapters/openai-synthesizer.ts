import type { Clock } from '../../../../core/clock.ts'
import { HttpSynthesizer, type HttpSynthesizerOptions, type ServerVoice } from './http-synthesizer.ts'
import { SpokenAnswer, type SpokenFormat } from './spoken-answer.ts'

export interface OpenAiSynthesizerOptions extends HttpSynthesizerOptions {
  readonly model: string
  /** What to ask for; what comes is read by its content type. */
  readonly format: SpokenFormat
  /** Rate of plain samples, which do not tell it themselves (Hz). */
  readonly pcmRate: number
  /** 1 is the voice's own. */
  readonly speed: number
}

/** Longest `input` of one request. */
const MOST_LETTERS = 4_096

/** Voices at `POST /v1/audio/speech`. */
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
