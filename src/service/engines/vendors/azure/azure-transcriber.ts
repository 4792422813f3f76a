import type * as Sdk from 'microsoft-cognitiveservices-speech-sdk'
import type { Clock } from '../../../../common/clock.ts'
import { type LanguageId, languageTag } from '../../../../common/language.ts'
import { howToInstall, missingOf } from '../../../../common/optional-package.ts'
import { bytesOf, SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import {
  EngineError,
  type HearingOptions,
  type SpeechStream,
  type SpeechToText,
  type TranscriptSink,
} from '../../engine.ts'
import { heardLanguage } from '../../languages.ts'
import { joinedTerms } from '../../vocabulary/vocabulary.ts'
import { LiveEngine } from '../../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import { TranscriptLog } from '../../wire/transcript-log.ts'
import type { AzureTranscriptionOptions } from '../settings.ts'
import { AzureTokens, azureAddresses } from './azure-resource.ts'
import { type AzureMessage, AzureTransport } from './azure-transport.ts'

/** Maximum number of phrases of a list (guide "Improve recognition accuracy with a phrase list"). */
const MOST_TERMS = 500
/** Maximum number of languages among which the service detects one during a session (guide "Language identification"). */
const MOST_LANGUAGES = 10

/** Live transcription by Azure Speech, through Microsoft's package. */
export class AzureTranscriber implements SpeechToText {
  readonly name = 'azure'
  readonly languages: readonly LanguageId[]
  readonly takesTerms = true
  readonly #sdk: typeof Sdk
  readonly #options: AzureTranscriptionOptions
  readonly #clock: Clock
  readonly #engine: LiveEngine
  readonly #address: string
  readonly #tokens: AzureTokens

  private constructor(sdk: typeof Sdk, options: AzureTranscriptionOptions, clock: Clock) {
    const { recognition, token } = azureAddresses(options.url)
    this.languages = options.languages
    this.#sdk = sdk
    this.#options = options
    this.#clock = clock
    this.#address = recognition
    this.#tokens = new AzureTokens(token, options.apiKey ?? '', clock)
    this.#engine = new LiveEngine('transcription', this.name, options, clock)
  }

  /** Rejects with an `EngineError` if the package is not installed. */
  static async create(options: AzureTranscriptionOptions, clock: Clock): Promise<AzureTranscriber> {
    if (missingOf('azure').length > 0)
      throw new EngineError(
        'transcription',
        'azure',
        `its package is not installed: run ${howToInstall('azure')}`,
      )
    const sdk = await import('microsoft-cognitiveservices-speech-sdk')
    return new AzureTranscriber(sdk, options, clock)
  }

  async open(
    language: LanguageId,
    sink: TranscriptSink,
    { terms = [] }: HearingOptions = {},
  ): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} understands ${this.languages.join(', ')}, asked for ${language}`)
    const log = new TranscriptLog(sink)
    return this.#engine.open(this.#protocol(language, terms, log), error => sink.failed(error))
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  #protocol(language: LanguageId, terms: readonly string[], log: TranscriptLog): LiveProtocol {
    const { pauseMs, timeoutMs, detectLanguage } = this.#options
    const others = this.languages.filter(each => each !== language)
    return {
      rate: SAMPLE_RATE,
      chunkMs: 100,
      // Silence ends utterances, and the SDK has nothing to keep a connection with.
      continuous: true,
      address: async signal => ({ url: this.#address, token: await this.#tokens.get(signal) }),
      connect: async ({ token = '' }, listener, signal) => {
        try {
          const session = {
            ...{ address: this.#address, token, pauseMs, timeoutMs, detect: detectLanguage },
            languages: [language, ...others].slice(0, MOST_LANGUAGES).map(languageTag),
            terms: joinedTerms([], terms, MOST_TERMS),
          }
          return await AzureTransport.open(this.#sdk, session, listener, this.#clock, signal)
        } catch (error) {
          this.#tokens.forget()
          throw error
        }
      },
      dialogue: link =>
        new AzureDialogue(link, log, code =>
          detectLanguage ? heardLanguage(code, language, this.languages) : undefined,
        ),
    }
  }
}

class AzureDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #log: TranscriptLog
  readonly #heard: (code: string | undefined) => LanguageId | undefined

  constructor(
    link: LiveLink,
    log: TranscriptLog,
    heard: (code: string | undefined) => LanguageId | undefined,
  ) {
    this.#link = link
    this.#log = log
    this.#heard = heard
  }

  get busy(): boolean {
    return this.#log.busy
  }

  begin(): void {
    this.#link.ready()
  }

  message(message: unknown): void {
    const { type, text, startMs, endMs, language } = message as AzureMessage
    const heard = {
      text: text.trim(),
      startMs: this.#link.streamMs(startMs),
      endMs: this.#link.streamMs(endMs),
    }
    if (type === 'partial') {
      this.#log.partial(heard)
      return
    }
    this.#log.final({ ...heard, language: this.#heard(language) })
    this.#link.answered(heard.endMs)
  }

  audio(pcm: Int16Array): void {
    this.#link.sendBinary(bytesOf(pcm))
  }

  ended(): void {
    this.#log.retract()
  }
}
