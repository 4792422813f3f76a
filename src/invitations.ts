import type { IncomingCall, Refusal } from './bridges/twilio/index.ts'
import type { Invitation, OriginalVoice } from './core/invitation.ts'
import { isLanguageId, type LanguageId } from './core/languages.ts'

/** What callers of a number without settings speak and hear. */
export interface LanguageDefaults {
  readonly speaks: LanguageId
  readonly hears: LanguageId
}

/** Settings of one telephone number; what is absent is the default. */
export interface NumberSettings {
  /** `none`: callers only listen. */
  readonly speaks?: LanguageId | 'none' | undefined
  readonly hears?: LanguageId | undefined
  /** Calls that name the same room hear each other; absent: each call has its own. */
  readonly room?: string | undefined
  readonly original?: OriginalVoice | undefined
  readonly name?: string | undefined
}

const ORIGINALS: readonly string[] = ['off', 'low', 'duck'] satisfies OriginalVoice[]

/**
 * Which call goes to which room, in which languages: by the number called, over it by the query of the webhook's own
 * URL (`/twilio/voice?speaks=en-us&hears=es-es&room=desk`), which is part of what Twilio signs.
 */
export function invitationsOf(
  defaults: LanguageDefaults,
  numbers: Readonly<Record<string, NumberSettings>>,
): (call: IncomingCall) => Invitation | Refusal {
  return call => {
    const number = Object.hasOwn(numbers, call.to) ? numbers[call.to] : undefined
    const asked = { ...number, ...askedFor(call.query) }
    const speaks = asked.speaks ?? defaults.speaks
    return {
      room: asked.room ?? `call ${call.callSid}`,
      hears: asked.hears ?? defaults.hears,
      ...(speaks === 'none' ? {} : { speaks }),
      ...(asked.original ? { original: asked.original } : {}),
      ...(asked.name ? { name: asked.name } : {}),
    }
  }
}

/** Short, and without control characters: it is shown and logged. */
function isName(text: string): boolean {
  return text.length <= 64 && !/\p{Cc}/u.test(text)
}

/** What the query says; anything that is not one of the known values is as if absent. */
function askedFor(parameters: Readonly<Record<string, string>>): NumberSettings {
  const { speaks, hears, room, original, name } = parameters
  return {
    ...(speaks && (speaks === 'none' || isLanguageId(speaks)) ? { speaks } : {}),
    ...(hears && isLanguageId(hears) ? { hears } : {}),
    ...(room && isName(room) ? { room } : {}),
    ...(original && ORIGINALS.includes(original) ? { original: original as OriginalVoice } : {}),
    ...(name && isName(name) ? { name } : {}),
  }
}
