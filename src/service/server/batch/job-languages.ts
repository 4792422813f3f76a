import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { EngineSet, OfferedVoice } from '../engines/engine-set.ts'
import { languageRow } from '../engines/language-ids.ts'
import type { SpeechToText } from '../engines/speech-to-text.ts'
import { ServiceError } from '../service-error.ts'
import { type VoiceWish, wishedVoice } from '../voice-wish.ts'
import type { Translation } from './translated.ts'

/**
 * Returns the recognizer for `source` and the language it recognizes. Without `source`: the only language available.
 */
export function recognizerFor(
  source: LanguageId | undefined,
  engines: EngineSet,
): { engine: SpeechToText; language: LanguageId } {
  const known = engines.speechToText.flatMap(engine => engine.languages)
  const [only] = known
  if (only === undefined)
    throw new ServiceError('transcription_missing', 'no speech recognition engine is installed')
  if (source !== undefined) assertKnown(source, 'languageIdSource')
  const language = source ?? (known.every(each => sameLanguage(each, only)) ? only : undefined)
  if (language === undefined)
    throw new ServiceError(
      'language_not_detected',
      `speech is recognized in ${known.join(', ')}: set languageIdSource to one of them`,
    )
  const engine = engines.recognizer(language)
  if (engine) return { engine, language }
  throw new ServiceError(
    'language_not_transcribed',
    `languageIdSource is ${language}, speech is recognized in ${known.join(', ')}`,
  )
}

/** Returns the translation from `source` to `target`. */
export function translationFor(
  source: LanguageId | undefined,
  target: LanguageId | undefined,
  engines: EngineSet,
): Translation {
  const from = needed(source, 'languageIdSource')
  const to = needed(target, 'languageIdTarget')
  if (engines.translators.length === 0)
    throw new ServiceError('translation_missing', 'no translation engine is installed')
  const translator = engines.translator(from, to)
  if (translator) return { translator, source: from, target: to }
  const targets = engines.translators.flatMap(engine => engine.targets(from)).join(', ')
  throw new ServiceError('pair_not_offered', `${from} is translated into ${targets || 'nothing'}, not ${to}`)
}

/** Returns the requested voice of `language`. */
export function voiceFor(
  language: LanguageId | undefined,
  wish: VoiceWish,
  engines: EngineSet,
): OfferedVoice {
  const id = needed(language, 'languageIdTarget')
  if (engines.synthesizers.length === 0)
    throw new ServiceError('synthesis_missing', 'no speech synthesis engine is installed')
  return wishedVoice({ languageIdTarget: id, ...wish }, engines)
}

function needed(language: LanguageId | undefined, name: string): LanguageId {
  if (language === undefined)
    throw new ServiceError('language_missing', `${name} is missing, expected a language like en-us`)
  assertKnown(language, name)
  return language
}

function assertKnown(language: LanguageId, name: string): void {
  if (languageRow(language) === undefined)
    throw new ServiceError(
      'language_unknown',
      `${name} is ${language}, which is not supported: see GET /api/languages`,
    )
}
