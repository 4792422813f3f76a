import type { MODES, VOICE_ENGINES, VOICE_GENDERS } from '../contract.ts'

/** Filter for the voice list; voices match all given fields. */
export interface VoiceFilter {
  readonly language?: string
  readonly mode?: (typeof MODES)[number]
  readonly voiceGender?: (typeof VOICE_GENDERS)[number]
  /** Voices of any of these. */
  readonly voiceEngine?: readonly (typeof VOICE_ENGINES)[number][]
}

/** Returns a voice filter as the query of `GET /api/voices`, including the question mark; empty without filters. */
export function voiceQuery(filter: VoiceFilter): string {
  const query = new URLSearchParams()
  if (filter.language) query.set('language', filter.language)
  if (filter.mode) query.set('mode', filter.mode)
  if (filter.voiceGender) query.set('voiceGender', filter.voiceGender)
  for (const engine of filter.voiceEngine ?? []) query.append('voiceEngine', engine)
  const text = query.toString()
  return text ? `?${text}` : ''
}
