import type { LanguageId } from '../../common/language.ts'
import type { LanguageEntry, Mode, VoiceEntry } from '../contract.ts'
import type { EngineSet } from './engines/engine-set.ts'
import { LANGUAGE_ROWS } from './engines/language-ids.ts'

/** Filter for the voice list; absent fields match everything. */
export interface VoiceFilter {
  readonly language?: LanguageId | undefined
  readonly mode?: Mode | undefined
  readonly voiceGender?: VoiceEntry['voiceGender'] | undefined
  /** Any of these engines; empty matches all. */
  readonly voiceEngine: readonly VoiceEntry['voiceEngine'][]
}

/** Capabilities of the installed engines, read once. Languages that no engine supports are not listed. */
export class Catalog {
  readonly languages: readonly LanguageEntry[]
  readonly #voices: readonly VoiceEntry[]

  constructor(engines: EngineSet) {
    this.#voices = engines.voices().map(({ entry }) => entry)
    this.languages = LANGUAGE_ROWS.map(({ id, name }) => ({
      languageId: id,
      name,
      transcription: engines.recognizer(id) !== undefined,
      translation: [...new Set(engines.translators.flatMap(engine => engine.targets(id)))],
      synthesis: engines.voice(id) !== undefined,
    })).filter(entry => entry.transcription || entry.synthesis || entry.translation.length > 0)
  }

  voices(filter: VoiceFilter): VoiceEntry[] {
    return this.#voices.filter(
      voice =>
        (filter.language === undefined || voice.languageId === filter.language) &&
        (filter.mode === undefined || voice.modes.includes(filter.mode)) &&
        (filter.voiceGender === undefined || voice.voiceGender === filter.voiceGender) &&
        (filter.voiceEngine.length === 0 || filter.voiceEngine.includes(voice.voiceEngine)),
    )
  }
}
