import type { LanguageId } from '../../../common/language.ts'
import type { ConnectionParameters, ReceiveAudio, SendAudio } from '../../contract.ts'
import type { EngineSet } from '../engines/engine-set.ts'
import { languageRow } from '../engines/language-ids.ts'
import { language, oneOf, type Query, single } from '../query.ts'
import { ServiceError } from '../service-error.ts'
import { voiceWish } from '../voice-wish.ts'
import { receiveAudioOf, sendAudioOf } from './audio-parameters.ts'

/** Effective parameters on `/stt`. */
export interface SttParameters extends ConnectionParameters {
  languageIdSource: LanguageId
  sendAudio: SendAudio
  partials: boolean
  /** Closed vocabulary; absent: the whole language, or the default of the settings. */
  grammar?: string
}

/** Effective parameters on `/sts`. */
export interface StsParameters extends SttParameters {
  languageIdTarget: LanguageId
  receiveAudio: ReceiveAudio
}

/** Effective parameters on `/translator`. */
export interface TranslatorParameters extends ConnectionParameters {
  languageIdSource: LanguageId
  languageIdTarget: LanguageId
}

/** Effective parameters on `/tts`. */
export interface TtsParameters extends ConnectionParameters {
  languageIdTarget: LanguageId
  receiveAudio: ReceiveAudio
}

/** Parses the query of a connection to `/stt` and checks it against `engines`. Throws a `ServiceError`. */
export function sttParameters(query: Query, engines: EngineSet): SttParameters {
  const sendAudio = sendAudioOf(query)
  const source = required(query, 'languageIdSource')
  assertTranscribed(source, engines)
  return {
    languageIdSource: source,
    sendAudio,
    partials: partialsOf(query, true),
    ...grammarOf(query, source, engines),
  }
}

/** Parses the query of a connection to `/translator` and checks it against `engines`. Throws a `ServiceError`. */
export function translatorParameters(query: Query, engines: EngineSet): TranslatorParameters {
  const source = required(query, 'languageIdSource')
  const target = required(query, 'languageIdTarget')
  assertTranslated(source, target, engines)
  return { languageIdSource: source, languageIdTarget: target }
}

/**
 * Parses the query of a connection to `/tts` and checks it against `engines`. Throws a `ServiceError`. Input and output
 * have the same language, so either parameter can name it; the target has precedence.
 */
export function ttsParameters(query: Query, engines: EngineSet): TtsParameters {
  const receiveAudio = receiveAudioOf(query)
  const source = language(query, 'languageIdTarget') === undefined && language(query, 'languageIdSource')
  const target = required(query, source ? 'languageIdSource' : 'languageIdTarget')
  assertSpoken(engines)
  return {
    ...(source ? { languageIdSource: source } : {}),
    languageIdTarget: target,
    receiveAudio,
    ...voiceWish(query),
  }
}

/** Parses the query of a connection to `/sts` and checks it against `engines`. Throws a `ServiceError`. */
export function stsParameters(query: Query, engines: EngineSet): StsParameters {
  const sendAudio = sendAudioOf(query)
  const receiveAudio = receiveAudioOf(query)
  const source = required(query, 'languageIdSource')
  const target = required(query, 'languageIdTarget')
  assertTranscribed(source, engines)
  assertTranslated(source, target, engines)
  assertSpoken(engines)
  return {
    languageIdSource: source,
    languageIdTarget: target,
    sendAudio,
    receiveAudio,
    // In block mode every result is followed by its `endSynth`; partials have none.
    partials: partialsOf(query, receiveAudio.mode === 'streaming'),
    ...grammarOf(query, source, engines),
    ...voiceWish(query),
  }
}

function grammarOf(query: Query, source: LanguageId, engines: EngineSet): { grammar?: string } {
  const grammar = single(query, 'grammar')
  if (grammar === undefined) return {}
  return { grammar: oneOf(grammar, engines.grammars(source), 'grammar', 'grammar_unknown') }
}

function required(query: Query, name: string): LanguageId {
  const id = language(query, name)
  if (id === undefined)
    throw new ServiceError('language_missing', `${name} is missing, expected a language like en-us`)
  if (languageRow(id) === undefined)
    throw new ServiceError(
      'language_unknown',
      `${name} is ${id}, which is not supported: see GET /api/languages`,
    )
  return id
}

function partialsOf(query: Query, fallback: boolean): boolean {
  const value = single(query, 'partials')
  if (value === undefined) return fallback
  return oneOf(value, ['true', 'false'], 'partials', 'value_not_allowed') === 'true'
}

function assertTranscribed(source: LanguageId, engines: EngineSet): void {
  if (engines.speechToText.length === 0)
    throw new ServiceError('transcription_missing', 'no speech recognition engine is installed')
  if (engines.recognizer(source)) return
  const known = engines.speechToText.flatMap(engine => engine.languages).join(', ')
  throw new ServiceError(
    'language_not_transcribed',
    `languageIdSource is ${source}, speech is recognized in ${known}`,
  )
}

function assertTranslated(source: LanguageId, target: LanguageId, engines: EngineSet): void {
  if (engines.translators.length === 0)
    throw new ServiceError('translation_missing', 'no translation engine is installed')
  if (engines.translator(source, target)) return
  const targets = engines.translators.flatMap(engine => engine.targets(source)).join(', ')
  throw new ServiceError(
    'pair_not_offered',
    `${source} is translated into ${targets || 'nothing'}, not ${target}`,
  )
}

function assertSpoken(engines: EngineSet): void {
  if (engines.synthesizers.length === 0)
    throw new ServiceError('synthesis_missing', 'no speech synthesis engine is installed')
}
