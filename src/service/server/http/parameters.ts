import type { LanguageId } from '../../../common/language.ts'
import { MODES, VOICE_ENGINES, VOICE_GENDERS } from '../../contract.ts'
import type { ErrorName } from '../errors.ts'
import { knownQuery, language, oneOf, type Query, several, single } from '../query.ts'
import type { VoiceFilter } from '../voice-catalog.ts'

/** A request parameter, used both to validate a request (below) and to describe it (`openapi.ts`). */
export interface Parameter<T extends string = string> {
  readonly name: string
  readonly about: string
  readonly example?: string
  /** It is required. */
  readonly needed?: boolean
  /** It is repeatable. */
  readonly repeated?: boolean
  /** `language`: an identifier; `json`: a JSON object as text; `text`: any. */
  readonly form: 'choice' | 'language' | 'json' | 'text'
  /** The allowed values of a choice, and the error for any other. */
  readonly allowed?: readonly T[]
  readonly error?: ErrorName
}

/** A parameter with a fixed set of values. */
export interface Choice<T extends string = string> extends Parameter<T> {
  readonly form: 'choice'
  readonly allowed: readonly T[]
  readonly error: ErrorName
}

/** Returns the value of `choice` in `query`, undefined when absent. Throws its error for any other value. */
export function chosen<T extends string>(query: Query, choice: Choice<T>): T | undefined {
  const value = single(query, choice.name)
  return value === undefined ? undefined : oneOf(value, choice.allowed, choice.name, choice.error)
}

/** Returns all values of a repeatable `choice`. */
function chosenAll<T extends string>(query: Query, choice: Choice<T>): T[] {
  return several(query, choice.name).map(value => oneOf(value, choice.allowed, choice.name, choice.error))
}

/** Returns the language identifier of `parameter` in `query`, undefined when absent. */
export function languageIn(query: Query, parameter: Parameter): LanguageId | undefined {
  return language(query, parameter.name)
}

const LANGUAGE: Parameter = {
  name: 'language',
  about: 'Voices of this language; the list is empty when it has none.',
  form: 'language',
  example: 'es-es',
}
const MODE: Choice<(typeof MODES)[number]> = {
  name: 'mode',
  about: 'Voices that support this mode.',
  form: 'choice',
  allowed: MODES,
  error: 'mode_not_supported',
}
const GENDER: Choice<(typeof VOICE_GENDERS)[number]> = {
  name: 'voiceGender',
  about: 'Voices of this gender.',
  form: 'choice',
  allowed: VOICE_GENDERS,
  error: 'value_not_allowed',
}
const ENGINE: Choice<(typeof VOICE_ENGINES)[number]> = {
  name: 'voiceEngine',
  about: 'Voices of this kind of engine. If repeated, of any of them.',
  form: 'choice',
  repeated: true,
  allowed: VOICE_ENGINES,
  error: 'value_not_allowed',
}

/** Filters of the voice list. */
export const VOICE_PARAMETERS: readonly Parameter[] = [LANGUAGE, MODE, GENDER, ENGINE]

/** Parameters that choose a voice, read by `voiceWish`. */
export const VOICE_WISH_PARAMETERS: readonly Parameter[] = [
  { name: 'voiceId', about: 'The voice, by its id in the voice list.', form: 'text' },
  { ...GENDER, about: 'A voice of this gender.' },
  { ...ENGINE, about: 'A voice of this kind of engine. If repeated, of any of them.' },
]

/** Reads the voice filters of a query. Throws a `ServiceError`. */
export function voiceFilter(given: Query): VoiceFilter {
  const query = knownQuery(
    given,
    VOICE_PARAMETERS.map(({ name }) => name),
  )
  return {
    language: languageIn(query, LANGUAGE),
    mode: chosen(query, MODE),
    voiceGender: chosen(query, GENDER),
    voiceEngine: chosenAll(query, ENGINE),
  }
}
