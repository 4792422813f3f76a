import { parseJson } from '../../../common/json.ts'
import type { LanguageId } from '../../../common/language.ts'
import { closestMatch } from '../../../common/suggest.ts'
import {
  AUDIO_RATES,
  type ConnectionParameters,
  MODES,
  type ReceiveAudio,
  type SendAudio,
} from '../../contract.ts'
import type { EngineSet } from '../../engines/engine-set.ts'
import { ServiceError } from '../errors.ts'
import {
  knownQuery,
  language,
  oneOf,
  type Query,
  RECEIVE_AUDIO_FIELDS,
  SEND_AUDIO_FIELDS,
  shown,
  single,
} from '../query.ts'
import { assertSpoken, recognizerFor, required, translatorFor } from '../requirements.ts'
import { voiceWish } from '../voice-catalog.ts'

type Fields = Readonly<Record<string, unknown>>

/** Parameters of a connection. All namespaces accept all of them, because they can share a connection and its query. */
const PARAMETERS = [
  'languageIdSource',
  'languageIdTarget',
  'sendAudio',
  'receiveAudio',
  'voiceId',
  'voiceGender',
  'voiceEngine',
  'partials',
  'grammar',
] as const
/** Parameters that the client libraries of Socket.IO add. */
const OF_LIBRARIES: readonly string[] = ['EIO', 'transport', 't', 'sid', 'j', 'b64']

/** Returns the parameters of a connection. Throws `parameter_unknown` for any other name. */
export function connectionQuery(query: Query): Query {
  const own = Object.entries(query).filter(([name]) => !OF_LIBRARIES.includes(name))
  return knownQuery(Object.fromEntries(own), PARAMETERS)
}

/** Reads `sendAudio` from a connection's query. Default: linear16 at 16 kHz in fragments. */
export function sendAudioOf(query: Query): SendAudio {
  const fields = jsonObject(query, 'sendAudio', SEND_AUDIO_FIELDS)
  const { broadcastVia = 'chunk', codec = 'linear16', sampleRate = 16_000 } = fields
  return {
    broadcastVia: oneOf(broadcastVia, ['chunk'], 'sendAudio.broadcastVia', 'broadcast_not_supported'),
    codec: oneOf(codec, ['linear16'], 'sendAudio.codec', 'codec_not_supported'),
    sampleRate: oneOf(sampleRate, AUDIO_RATES, 'sendAudio.sampleRate', 'rate_not_supported'),
  }
}

/** Reads `receiveAudio` from a connection's query. Default: one 16 kHz mp3 per utterance. */
export function receiveAudioOf(query: Query): ReceiveAudio {
  const fields = jsonObject(query, 'receiveAudio', RECEIVE_AUDIO_FIELDS)
  const { obtainVia = 'chunk', codec = 'mp3', sampleRate = 16_000, mode = 'block' } = fields
  return {
    obtainVia: oneOf(obtainVia, ['chunk', 'stream'], 'receiveAudio.obtainVia', 'obtain_not_supported'),
    codec: oneOf(codec, ['mp3'], 'receiveAudio.codec', 'codec_not_supported'),
    sampleRate: oneOf(sampleRate, AUDIO_RATES, 'receiveAudio.sampleRate', 'rate_not_supported'),
    mode: oneOf(mode, MODES, 'receiveAudio.mode', 'mode_not_supported'),
  }
}

/**
 * Returns the parameter's JSON object, empty when absent. Rejects unknown fields, which would otherwise be ignored
 * silently.
 */
function jsonObject(query: Query, name: string, allowed: readonly string[]): Fields {
  const text = single(query, name)
  if (text === undefined) return {}
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ServiceError(
      'not_json',
      `${name} is ${shown(text)}, allowed: a JSON object with ${allowed.join(', ')}`,
    )
  const unknown = Object.keys(value).find(key => !allowed.includes(key))
  if (unknown !== undefined) {
    const meant = unknown.length < 60 ? closestMatch(unknown, allowed) : undefined
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    throw new ServiceError(
      'field_unknown',
      `${name} has the field ${shown(unknown)}, allowed: ${allowed.join(', ')}${hint}`,
    )
  }
  return value as Fields
}

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
  const source = languageOf(query, 'languageIdSource')
  recognizerFor(source, engines)
  return {
    languageIdSource: source,
    sendAudio,
    partials: partialsOf(query, true),
    ...grammarOf(query, source, engines),
  }
}

/** Parses the query of a connection to `/translator` and checks it against `engines`. Throws a `ServiceError`. */
export function translatorParameters(query: Query, engines: EngineSet): TranslatorParameters {
  const source = languageOf(query, 'languageIdSource')
  const target = languageOf(query, 'languageIdTarget')
  translatorFor(source, target, engines)
  return { languageIdSource: source, languageIdTarget: target }
}

/**
 * Parses the query of a connection to `/tts` and checks it against `engines`. Throws a `ServiceError`. Input and output
 * have the same language, so either parameter can name it; the target has precedence.
 */
export function ttsParameters(query: Query, engines: EngineSet): TtsParameters {
  const receiveAudio = receiveAudioOf(query)
  const source = language(query, 'languageIdTarget') === undefined && language(query, 'languageIdSource')
  const target = languageOf(query, source ? 'languageIdSource' : 'languageIdTarget')
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
  const source = languageOf(query, 'languageIdSource')
  const target = languageOf(query, 'languageIdTarget')
  if (engines.speechTranslators(source, target).length === 0) {
    recognizerFor(source, engines)
    translatorFor(source, target, engines)
    assertSpoken(engines)
  }
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

function languageOf(query: Query, name: string): LanguageId {
  return required(language(query, name), name)
}

function partialsOf(query: Query, fallback: boolean): boolean {
  const value = single(query, 'partials')
  if (value === undefined) return fallback
  return oneOf(value, ['true', 'false'], 'partials', 'value_not_allowed') === 'true'
}
