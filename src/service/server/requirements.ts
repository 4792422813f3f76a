import type { LanguageId } from '../../common/language.ts'
import type { SpeechToText, TextTranslator } from '../engines/engine.ts'
import type { EngineSet } from '../engines/engine-set.ts'
import { languageRow } from '../engines/languages.ts'
import { ServiceError } from './errors.ts'

/** Returns `language`, the parameter `name`. Throws `language_missing` or `language_unknown`. */
export function required(language: LanguageId | undefined, name: string): LanguageId {
  if (language === undefined)
    throw new ServiceError('language_missing', `${name} is missing, expected a language like en-us`)
  if (languageRow(language) === undefined)
    throw new ServiceError(
      'language_unknown',
      `${name} is ${language}, which is not supported: see GET /api/languages`,
    )
  return language
}

/** Returns the languages in which speech is recognized. Throws `transcription_missing` without any. */
export function recognizedLanguages(engines: EngineSet): readonly [LanguageId, ...LanguageId[]] {
  const [first, ...others] = engines.speechToText.flatMap(engine => engine.languages)
  if (first === undefined)
    throw new ServiceError('transcription_missing', 'no speech recognition engine is installed')
  return [first, ...others]
}

/** Returns the recognizer for `source`. Throws `transcription_missing` or `language_not_transcribed`. */
export function recognizerFor(source: LanguageId, engines: EngineSet): SpeechToText {
  const known = recognizedLanguages(engines)
  const engine = engines.recognizer(source)
  if (engine) return engine
  throw new ServiceError(
    'language_not_transcribed',
    `languageIdSource is ${source}, speech is recognized in ${known.join(', ')}`,
  )
}

/** Returns the translator from `source` to `target`. Throws `translation_missing` or `pair_not_offered`. */
export function translatorFor(source: LanguageId, target: LanguageId, engines: EngineSet): TextTranslator {
  if (engines.translators.length === 0)
    throw new ServiceError('translation_missing', 'no translation engine is installed')
  const translator = engines.translator(source, target)
  if (translator) return translator
  const targets = engines.translators.flatMap(engine => engine.targets(source)).join(', ')
  throw new ServiceError(
    'pair_not_offered',
    `${source} is translated into ${targets || 'nothing'}, not ${target}`,
  )
}

/** Throws `synthesis_missing` without a synthesizer. */
export function assertSpoken(engines: EngineSet): void {
  if (engines.synthesizers.length === 0)
    throw new ServiceError('synthesis_missing', 'no speech synthesis engine is installed')
}
