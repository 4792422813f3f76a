import type { LanguageId } from '../../common/language.ts'
import type { VoiceEntry } from '../contract.ts'
import type { SpeechToText, SpeechTranslator, Synthesizer, TextTranslator } from './engine.ts'
import { EngineUsage } from './usage/engine-usage.ts'

/** A voice and its engine. */
export interface OfferedVoice {
  readonly engine: Synthesizer
  readonly entry: VoiceEntry
}

/** The available engines, in order of preference. The creator closes the set, which closes the engines. */
export class EngineSet {
  readonly speechToText: readonly SpeechToText[]
  readonly translators: readonly TextTranslator[]
  readonly synthesizers: readonly Synthesizer[]
  /** Their figures, and the replacements in use. */
  readonly usage: EngineUsage
  /** Engines from speech to speech. */
  readonly interpreters: readonly SpeechTranslator[]
  /** Configured voice ids, by language. */
  readonly #chosen: Readonly<Record<LanguageId, string>>

  constructor(engines: {
    speechToText?: readonly SpeechToText[]
    translators?: readonly TextTranslator[]
    synthesizers?: readonly Synthesizer[]
    interpreters?: readonly SpeechTranslator[]
    voices?: Readonly<Record<LanguageId, string>>
    usage?: EngineUsage
  }) {
    this.speechToText = engines.speechToText ?? []
    this.translators = engines.translators ?? []
    this.synthesizers = engines.synthesizers ?? []
    this.interpreters = engines.interpreters ?? []
    this.#chosen = engines.voices ?? {}
    this.usage = engines.usage ?? new EngineUsage()
  }

  /** Returns the engine that recognizes `language`, and has `grammar` if given. */
  recognizer(language: LanguageId, grammar?: string): SpeechToText | undefined {
    return this.speechToText.find(
      ({ languages, grammars = [] }) =>
        languages.includes(language) && (grammar === undefined || grammars.includes(grammar)),
    )
  }

  /** Names of the closed vocabularies for `language`. */
  grammars(language: LanguageId): string[] {
    return this.speechToText.flatMap(({ languages, grammars = [] }) =>
      languages.includes(language) ? grammars : [],
    )
  }

  /** Returns the engine that translates `from` into `to`. */
  translator(from: LanguageId, to: LanguageId): TextTranslator | undefined {
    return this.translators.find(engine => engine.targets(from).includes(to))
  }

  /** Returns the engines that interpret speech in `from` into speech in `to`, in order. */
  speechTranslators(from: LanguageId, to: LanguageId): SpeechTranslator[] {
    return this.interpreters.filter(engine => engine.targets(from).includes(to))
  }

  /** True if a synthesizer has a voice for `language`, and it is `voiceId` if that is given. */
  hasVoice(language: LanguageId, voiceId?: string): boolean {
    return this.voices().some(
      ({ entry }) => entry.languageId === language && (voiceId === undefined || entry.voiceId === voiceId),
    )
  }

  /** Returns the voice for `language`: the configured one if any, else the first. */
  voice(language: LanguageId): OfferedVoice | undefined {
    const offered = this.voices().filter(({ entry }) => entry.languageId === language)
    return offered.find(({ entry }) => entry.voiceId === this.#chosen[language]) ?? offered[0]
  }

  /** All voices of all engines. */
  voices(): OfferedVoice[] {
    return this.synthesizers.flatMap(engine => engine.voices.map(entry => ({ engine, entry })))
  }

  async close(): Promise<void> {
    await Promise.allSettled(
      [...this.speechToText, ...this.translators, ...this.synthesizers, ...this.interpreters].map(engine =>
        engine.close(),
      ),
    )
  }
}
