import type { Invitation, OriginalVoice } from './invitation.ts'
import { type LanguageId, languageId } from './languages.ts'

/** How a party takes part just now. It begins as the invitation says and may change at any time. */
export interface PartyState {
  /** What they speak; absent: they only listen, and nobody hears them. */
  readonly speaks?: LanguageId
  /** What they want to hear; absent: only original voices. */
  readonly hears?: LanguageId
  /** The voice of what they hear, by its id in the service's list; absent: the usual one. Goes when `hears` changes. */
  readonly voice?: string
  /** How loud original voices are under their translation. */
  readonly original: OriginalVoice
  /** Shown with captions. */
  readonly name?: string
  /** Their voice reaches nobody: no listener, no service, no recording. */
  readonly muted: boolean
  /** False: everybody hears this party's original at full level, and this party hears everybody's. */
  readonly interpreting: boolean
}

/** What to change: absent or undefined stays as it is, `null` takes away. */
export interface PartyChange {
  readonly speaks?: LanguageId | null | undefined
  readonly hears?: LanguageId | null | undefined
  readonly voice?: string | null | undefined
  readonly original?: OriginalVoice | undefined
  readonly name?: string | null | undefined
  readonly muted?: boolean | undefined
  readonly interpreting?: boolean | undefined
}

export type PartyKey = keyof PartyState

export const ORIGINAL_VOICES: readonly OriginalVoice[] = ['off', 'low', 'duck']
const KEYS: readonly PartyKey[] = ['speaks', 'hears', 'voice', 'original', 'name', 'muted', 'interpreting']
/** Ids of voices are short words of the service's own. */
const VOICE = /^[\w.:+ -]{1,64}$/
/** Characters of a name. */
const LONGEST_NAME = 64

/** The state in which a party comes in. */
export function initialState(invitation: Invitation): PartyState {
  const { speaks, hears, voice, original = 'duck', name } = invitation
  return {
    ...(speaks === undefined ? {} : { speaks }),
    ...(hears === undefined ? {} : { hears }),
    ...(voice === undefined ? {} : { voice }),
    original,
    ...(name === undefined ? {} : { name }),
    muted: false,
    interpreting: true,
  }
}

/**
 * `state` after `change`; the very same object when nothing is different. Throws `RangeError` for a key or value that
 * is none, and then nothing has changed.
 */
export function changedState(state: PartyState, change: PartyChange): PartyState {
  const next: Partial<Record<PartyKey, unknown>> = { ...state }
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue
    if (!isKey(key)) throw new RangeError(`a party has ${KEYS.join(', ')}, got "${key}"`)
    const checked = checkedValue(key, value)
    if (checked === undefined) delete next[key]
    else next[key] = checked
  }
  // A voice speaks one language.
  if (next.hears !== state.hears && change.voice === undefined) delete next.voice
  return differences(state, next as PartyState).length === 0 ? state : (next as PartyState)
}

/** The keys in which two states differ. */
export function differences(a: PartyState, b: PartyState): PartyKey[] {
  return KEYS.filter(key => a[key] !== b[key])
}

function isKey(key: string): key is PartyKey {
  return (KEYS as readonly string[]).includes(key)
}

/** `value` as it is kept; undefined for what is taken away. */
function checkedValue(key: PartyKey, value: unknown): unknown {
  switch (key) {
    case 'speaks':
    case 'hears':
      return value === null ? undefined : checkedLanguage(key, value)
    case 'voice':
      return value === null ? undefined : checkedVoice(value)
    case 'name':
      return value === null ? undefined : checkedName(value)
    case 'original':
      if ((ORIGINAL_VOICES as readonly unknown[]).includes(value)) return value
      throw new RangeError(`original is ${ORIGINAL_VOICES.join(', ')}, got ${shown(value)}`)
    case 'muted':
    case 'interpreting':
      if (typeof value === 'boolean') return value
      throw new RangeError(`${key} is true or false, got ${shown(value)}`)
    default:
      return key satisfies never
  }
}

function checkedLanguage(key: PartyKey, value: unknown): LanguageId {
  if (typeof value !== 'string') throw new RangeError(`${key} is a language like en-us, got ${shown(value)}`)
  return languageId(value)
}

function checkedVoice(value: unknown): string {
  if (typeof value === 'string' && VOICE.test(value)) return value
  throw new RangeError(`a voice is the id of one in the service's list, got ${shown(value)}`)
}

function checkedName(value: unknown): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME && !/\p{Cc}/u.test(value))
    return value
  throw new RangeError(
    `a name has 1 to ${LONGEST_NAME} characters, none of them a control character, got ${shown(value)}`,
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, LONGEST_NAME)) : typeof value
}
