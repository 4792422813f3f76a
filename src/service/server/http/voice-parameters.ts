import { MODES, VOICE_ENGINES, VOICE_GENDERS } from '../../contract.ts'
import type { VoiceFilter } from '../catalog.ts'
import type { Query } from '../query.ts'
import { type Choice, chosen, chosenAll, languageIn, type Parameter } from './parameter.ts'

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
export function voiceFilter(query: Query): VoiceFilter {
  return {
    language: languageIn(query, LANGUAGE),
    mode: chosen(query, MODE),
    voiceGender: chosen(query, GENDER),
    voiceEngine: chosenAll(query, ENGINE),
  }
}
