import { isDeepStrictEqual } from 'node:util'
import { type LanguageId, languageId } from '../../common/language.ts'
import type { Invitation, OriginalMix, TranslatedVoices } from './invitation.ts'

/** A participant's settings in a call. The invitation gives the initial values; they can change at any time. */
export interface ParticipantState {
  /** Spoken language; absent for a listener, whose audio is not played to others. */
  readonly speaks?: LanguageId
  /** Language to hear; absent: only original voices. */
  readonly hears?: LanguageId
  /** Voice of the translations: an id in the service's list; absent: the default voice. Reset when `hears` changes. */
  readonly voice?: string
  /**
   * Voices in which this participant's speech is translated, by target language, for listeners without `voice`. Absent: the
   * default voice.
   */
  readonly translatedVoices?: TranslatedVoices
  /** Mix of original voices under their translation. */
  readonly original: OriginalMix
  /** Shown with captions. */
  readonly name?: string
  /** True: their voice is not sent to listeners, services or recordings. */
  readonly muted: boolean
  /** False: everyone hears this participant's original at full volume, and this participant hears everyone's. */
  readonly interpreting: boolean
}

/** Changes to apply: absent or undefined keeps a value, `null` removes it. */
export interface ParticipantChange {
  readonly speaks?: LanguageId | null | undefined
  readonly hears?: LanguageId | null | undefined
  readonly voice?: string | null | undefined
  readonly translatedVoices?: TranslatedVoices | null | undefined
  readonly original?: OriginalMix | undefined
  readonly name?: string | null | undefined
  readonly muted?: boolean | undefined
  readonly interpreting?: boolean | undefined
}

export type ParticipantKey = keyof ParticipantState

export const ORIGINAL_VOICES: readonly OriginalMix[] = ['off', 'low', 'duck']
const KEYS: readonly ParticipantKey[] = [
  'speaks',
  'hears',
  'voice',
  'translatedVoices',
  'original',
  'name',
  'muted',
  'interpreting',
]
/** Voice ids are short words that the service defines. */
const VOICE = /^[\w.:+ -]{1,64}$/
/** True if `id` can be the id of a voice. */
export function isVoiceId(id: unknown): id is string {
  return typeof id === 'string' && VOICE.test(id)
}

/** Maximum number of languages with their own voice: all that a service has. */
const MOST_VOICES = 500
/** Maximum length of a name (characters). */
const LONGEST_NAME = 64

/** Returns the state of a participant who joins. */
export function initialState(invitation: Invitation): ParticipantState {
  const { speaks, hears, voice, translatedVoices, original = 'duck', name } = invitation
  return {
    ...(speaks === undefined ? {} : { speaks }),
    ...(hears === undefined ? {} : { hears }),
    ...(voice === undefined ? {} : { voice }),
    ...(translatedVoices === undefined ? {} : { translatedVoices }),
    original,
    ...(name === undefined ? {} : { name }),
    muted: false,
    interpreting: true,
  }
}

/**
 * Returns `state` with `change` applied, or the same object if nothing differs. Throws `RangeError` for an invalid key
 * or value and then changes nothing.
 */
export function changedState(state: ParticipantState, change: ParticipantChange): ParticipantState {
  const next: Partial<Record<ParticipantKey, unknown>> = { ...state }
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue
    if (!isKey(key)) throw new RangeError(`unknown key "${key}"; expected ${KEYS.join(', ')}`)
    const checked = checkedValue(key, value)
    if (checked === undefined) delete next[key]
    else if (!isDeepStrictEqual(checked, next[key])) next[key] = checked
  }
  // A voice belongs to one language.
  if (next.hears !== state.hears && change.voice === undefined) delete next.voice
  return differences(state, next as ParticipantState).length === 0 ? state : (next as ParticipantState)
}

/** Returns the keys in which two states differ. */
export function differences(a: ParticipantState, b: ParticipantState): ParticipantKey[] {
  return KEYS.filter(key => a[key] !== b[key])
}

function isKey(key: string): key is ParticipantKey {
  return (KEYS as readonly string[]).includes(key)
}

/** Returns `value` validated; undefined means that the key is removed. */
function checkedValue(key: ParticipantKey, value: unknown): unknown {
  switch (key) {
    case 'speaks':
    case 'hears':
      return value === null ? undefined : checkedLanguage(key, value)
    case 'voice':
      return value === null ? undefined : checkedVoice(value)
    case 'translatedVoices':
      return value === null ? undefined : checkedVoices(value)
    case 'name':
      return value === null ? undefined : checkedName(value)
    case 'original':
      if ((ORIGINAL_VOICES as readonly unknown[]).includes(value)) return value
      throw new RangeError(`original must be one of ${ORIGINAL_VOICES.join(', ')}, got ${shown(value)}`)
    case 'muted':
    case 'interpreting':
      if (typeof value === 'boolean') return value
      throw new RangeError(`${key} must be true or false, got ${shown(value)}`)
    default:
      return key satisfies never
  }
}

function checkedLanguage(key: 'speaks' | 'hears' | 'translatedVoices', value: unknown): LanguageId {
  if (typeof value !== 'string')
    throw new RangeError(`${key} must be a language like en-us, got ${shown(value)}`)
  return languageId(value)
}

function checkedVoice(value: unknown): string {
  if (isVoiceId(value)) return value
  throw new RangeError(`voice must be an id from the service's list, got ${shown(value)}`)
}

function checkedVoices(value: unknown): TranslatedVoices {
  if (typeof value !== 'object' || value === null || Object.keys(value).length > MOST_VOICES)
    throw new RangeError(
      `translatedVoices must be up to ${MOST_VOICES} voices by language, got ${shown(value)}`,
    )
  const voices: Record<LanguageId, string> = {}
  for (const [language, voice] of Object.entries(value))
    voices[checkedLanguage('translatedVoices', language)] = checkedVoice(voice)
  return voices
}

function checkedName(value: unknown): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME && !/\p{Cc}/u.test(value))
    return value
  throw new RangeError(
    `name must have 1 to ${LONGEST_NAME} characters and no control characters, got ${shown(value)}`,
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, LONGEST_NAME)) : typeof value
}
