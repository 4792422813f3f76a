import type { LanguageId } from '../../common/language.ts'
import {
  type ConnectionParameters,
  type LanguageEntry,
  type Mode,
  VOICE_ENGINES,
  VOICE_GENDERS,
  type VoiceEntry,
} from '../contract.ts'
import type { EngineSet, OfferedVoice } from '../engines/engine-set.ts'
import { LANGUAGE_ROWS } from '../engines/languages.ts'
import { ServiceError } from './errors.ts'
import { oneOf, type Query, several, single } from './query.ts'

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
    const { interpreters } = engines
    this.#voices = [
      ...interpreters.flatMap(engine => engine.voices),
      ...engines.voices().map(({ entry }) => entry),
    ]
    const interpreted = new Set(LANGUAGE_ROWS.flatMap(({ id }) => interpreters.flatMap(e => e.targets(id))))
    this.languages = LANGUAGE_ROWS.map(({ id, name }) => ({
      languageId: id,
      name,
      transcription:
        engines.recognizer(id) !== undefined || interpreters.some(engine => engine.targets(id).length > 0),
      translation: [
        ...new Set([...interpreters, ...engines.translators].flatMap(engine => engine.targets(id))),
      ],
      synthesis: engines.voice(id) !== undefined || interpreted.has(id),
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

/** Voice requested by a client; absent fields match any voice. */
export type VoiceRequest = Pick<ConnectionParameters, 'voiceId' | 'voiceGender' | 'voiceEngine'>

/** Reads the requested voice from a connection's query. Throws a `ServiceError`. */
export function voiceWish(query: Query): VoiceRequest {
  const voiceId = single(query, 'voiceId')
  const gender = single(query, 'voiceGender')
  const kinds = several(query, 'voiceEngine')
  return {
    voiceId,
    ...(gender === undefined
      ? {}
      : { voiceGender: oneOf(gender, VOICE_GENDERS, 'voiceGender', 'value_not_allowed') }),
    ...(kinds.length === 0
      ? {}
      : {
          voiceEngine: kinds.map(kind => oneOf(kind, VOICE_ENGINES, 'voiceEngine', 'value_not_allowed')),
        }),
  }
}

/**
 * Returns the requested voice for `languageIdTarget`: the default voice of the language if it matches, else the first
 * match. Throws `voice_not_offered` when none matches.
 */
export function chooseVoice(
  { languageIdTarget, receiveAudio, ...wish }: ConnectionParameters,
  engines: EngineSet,
): OfferedVoice {
  const language = languageIdTarget ?? ''
  const mode = receiveAudio?.mode ?? 'block'
  const fits = ({ entry }: OfferedVoice) =>
    entry.languageId === language &&
    entry.modes.includes(mode) &&
    (wish.voiceId === undefined || entry.voiceId === wish.voiceId) &&
    (wish.voiceGender === undefined || entry.voiceGender === wish.voiceGender) &&
    (wish.voiceEngine === undefined || wish.voiceEngine.includes(entry.voiceEngine))
  const preferred = engines.voice(language)
  const found = [...(preferred ? [preferred] : []), ...engines.voices()].find(fits)
  if (found) return found
  throw new ServiceError(
    'voice_not_offered',
    preferred
      ? `${language} has no such voice: see GET /api/voices?language=${language}`
      : `${language} has no voice: see GET /api/voices`,
  )
}
