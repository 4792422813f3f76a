import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import { encodeWav } from '../../../../transcode/wav.ts'
import { primaryCode } from '../language-codes.ts'
import type { SpeechStream, SpeechToText, TranscriptSink } from '../speech-to-text.ts'
import { EngineHttp, type EngineHttpOptions } from './engine-http.ts'
import { eventData } from './event-lines.ts'
import type { HttpAnswer } from './http-answer.ts'
import { type Dialect, RequestDialect } from './request-dialect.ts'
import { GrowingTranscript, transcriptOf } from './transcription-reply.ts'
import { UtteranceStream, type UtteranceStreamOptions } from './utterance-stream.ts'

export interface OpenAiTranscriberOptions extends EngineHttpOptions, UtteranceStreamOptions {
  readonly model: string
  /** Languages of the server, which cannot be queried. */
  readonly languages: readonly LanguageId[]
  /**
   * `verbose_json` includes the confidence of the model, by which noise is filtered out; some models support only
   * `json`.
   */
  readonly format: 'verbose_json' | 'json'
  /** Requests partial texts. */
  readonly streaming: boolean
  /** Expected words and names, as a hint. */
  readonly prompt?: string | undefined
}

/** The models that succeed Whisper at OpenAI reject `verbose_json`, and may reject `temperature` and `language`. */
const PARTS = {
  format: { parameters: ['response_format'], forms: 2 },
  temperature: { parameters: ['temperature'], forms: 2 },
  language: { parameters: ['language'], forms: 2, onlyIfNamed: true },
}

/** Maximum size of a streamed response (bytes). */
const MOST_BYTES = 4 << 20

/** Speech recognition at `POST /v1/audio/transcriptions`: whole utterances, split by level. */
export class OpenAiTranscriber implements SpeechToText {
  readonly name = 'openai-transcription'
  readonly languages: readonly LanguageId[]
  readonly #options: OpenAiTranscriberOptions
  readonly #http: EngineHttp
  readonly #clock: Clock
  readonly #dialect = new RequestDialect(PARTS)

  constructor(options: OpenAiTranscriberOptions, clock: Clock) {
    this.languages = options.languages
    this.#options = options
    this.#clock = clock
    this.#http = new EngineHttp('transcription', this.name, options, clock)
  }

  /** Rejects with an `EngineError` during the cooldown after failures, so that another engine can take over. */
  async open(language: LanguageId, sink: TranscriptSink): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} understands ${this.languages.join(', ')}, asked for ${language}`)
    if (this.#http.resting) throw this.#http.error('has failed several times and is left alone for a moment')
    return new UtteranceStream(
      sink,
      (pcm, partial, signal) => this.#transcribe(language, pcm, partial, signal),
      this.#options,
      this.#clock,
    )
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  async #transcribe(
    language: LanguageId,
    pcm: Int16Array,
    partial: (text: string) => void,
    signal: AbortSignal,
  ): Promise<string> {
    const optional = this.#dialect.parameters
    return this.#dialect.send(dialect => {
      const body = this.#form(language, pcm, dialect)
      return this.#http.read('/v1/audio/transcriptions', { body, signal, optional }, async answer => {
        if (answer.type !== 'text/event-stream') return transcriptOf(await answer.json(MOST_BYTES))
        return streamed(answer, partial)
      })
    })
  }

  #form(language: LanguageId, pcm: Int16Array, dialect: Dialect<keyof typeof PARTS>): FormData {
    const { model, format, streaming, prompt } = this.#options
    const form = new FormData()
    const wav = encodeWav(pcm, SAMPLE_RATE)
    form.set('file', new Blob([wav as Uint8Array<ArrayBuffer>], { type: 'audio/wav' }), 'utterance.wav')
    form.set('model', model)
    if (dialect.language === 0) form.set('language', primaryCode(language))
    form.set('response_format', dialect.format === 0 ? format : 'json')
    if (dialect.temperature === 0) form.set('temperature', '0')
    if (streaming) form.set('stream', 'true')
    if (prompt !== undefined) form.set('prompt', prompt)
    return form
  }
}

async function streamed(answer: HttpAnswer, partial: (text: string) => void): Promise<string> {
  const transcript = new GrowingTranscript()
  for await (const data of eventData(answer.bytes(MOST_BYTES)))
    if (transcript.take(data)) partial(transcript.text)
  return transcript.end()
}
