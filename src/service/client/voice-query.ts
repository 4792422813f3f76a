import type { MODES, VOICE_ENGINES, VOICE_GENDERS } from '../contract.ts'

/** Which voices to list: all that fit every filter given. */
export interface VoiceFilter {
  readonly language?: string
  readonly mode?: (typeof MODES)[number]
  readonly voiceGender?: (typeof VOICE_GENDERS)[number]
  /** Voices of any of these. */
  readonly voiceEngine?: readonly (typeof VOICE_ENGINES)[number][]
}

/** A voice filter as the query of `GET /api/voices`, with its question mark; empty without filters. */
export function voiceQuery(filter: VoiceFilter): string {
  const query = new URLSearchParams()
  if (filter.language) query.set('language', filter.language)
  if (filter.mode) query.set('mode', filter.mode)
  if (filter.voiceGender) query.set('voiceGender', filter.voiceGender)
  for (const engine of filter.voiceEngine ?? []) query.append('voiceEngine', engine)
  const text = query.toString()
  return text ? `?${text}` : ''
}
