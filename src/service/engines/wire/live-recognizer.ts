import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { HearingOptions, SpeechStream, SpeechToText, TranscriptSink } from '../engine.ts'
import { heardLanguage } from '../languages.ts'
import { LiveEngine, type LiveEngineSettings } from './live-engine.ts'
import type { LiveProtocol } from './live-protocol.ts'
import { TranscriptLog } from './transcript-log.ts'

/** What the protocol of one stream needs: the request, and where its texts go. */
export interface LiveSpeech {
  readonly language: LanguageId
  /** Names and terms to expect. */
  readonly terms: readonly string[]
  /** Topic of the conversation. */
  readonly about: string | undefined
  readonly log: TranscriptLog
  /** Returns the language of the settings that the service means by a code. */
  heard(code: string | null | undefined): LanguageId | undefined
}

/** Live transcription by a service over WebSocket, in the protocol of its vendor. */
export class LiveRecognizer implements SpeechToText {
  readonly name: string
  readonly languages: readonly LanguageId[]
  readonly takesTerms = true
  readonly #engine: LiveEngine
  readonly #protocol: (speech: LiveSpeech) => LiveProtocol

  constructor(
    name: string,
    settings: LiveEngineSettings,
    clock: Clock,
    protocol: (speech: LiveSpeech) => LiveProtocol,
  ) {
    this.name = name
    this.languages = settings.languages
    this.#engine = new LiveEngine('transcription', name, settings, clock)
    this.#protocol = protocol
  }

  async open(
    language: LanguageId,
    sink: TranscriptSink,
    { terms = [], about }: HearingOptions = {},
  ): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} understands ${this.languages.join(', ')}, asked for ${language}`)
    const protocol = this.#protocol({
      ...{ language, terms, about, log: new TranscriptLog(sink) },
      heard: code => heardLanguage(code, language, this.languages),
    })
    return this.#engine.open(protocol, error => sink.failed(error))
  }

  close(): Promise<void> {
    return this.#engine.close()
  }
}
