import type { GuessLimit } from './app/guess-limit.ts'
import type { RememberedLanguages } from './app/remembered-languages.ts'
import { webhookQuery } from './app/webhook-query.ts'
import { type IncomingCall, type Question, RESUMES_FIELD, type Refusal } from './bridges/twilio/index.ts'
import type { DialPlan, Invitation, OriginalVoice } from './core/invitation.ts'
import type { LanguageId } from './core/languages.ts'
import { type Log, silentLog } from './core/log.ts'

/** What callers of a number without settings speak and hear. */
export interface LanguageDefaults {
  readonly speaks: LanguageId
  readonly hears: LanguageId
}

/** Whom callers of a number are connected with. */
export interface DialSettings {
  readonly to: string
  /** Default: what callers of any number speak; `none`: they only listen. */
  readonly speaks?: LanguageId | 'none' | undefined
  /** Default: what they speak. */
  readonly hears?: LanguageId | undefined
  readonly original?: OriginalVoice | undefined
  readonly name?: string | undefined
  readonly ringSeconds?: number | undefined
  /** What becomes of the caller when nobody comes; default `hang-up`. */
  readonly unanswered?: 'hang-up' | 'stay' | undefined
}

/** How callers say which language is theirs. */
export interface MenuSettings {
  readonly languages: readonly LanguageId[]
  /** `menu` (the default): asked each time. `remembered`: asked once. `fixed`: not asked at all. */
  readonly mode?: 'menu' | 'remembered' | 'fixed' | undefined
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
  /** Somebody is called for each caller, and the two talk in a room of their own. */
  readonly dial?: DialSettings | undefined
  readonly menu?: MenuSettings | undefined
  /** Callers key in the code of a room. */
  readonly roomCode?: boolean | undefined
  /** Calls to the number at a time; default no limit. */
  readonly maxCalls?: number | undefined
  /** Minutes of calls to it, a day; default no limit. */
  readonly maxMinutesPerDay?: number | undefined
}

/** What decides beside the settings. */
export interface Doorkeeper {
  /** The room that a code lets in to. */
  readonly roomOf: (code: string) => string | undefined
  readonly guesses: GuessLimit
  /** Absent: nothing is remembered. */
  readonly remembered?: RememberedLanguages | undefined
}

/**
 * Which call goes to which room, in which languages: by the number called, over it by the query of the webhook's own
 * URL (`/twilio/voice?speaks=en-us&hears=es-es&room=desk`), which is part of what Twilio signs. Callers are asked for
 * their language, or for the code of a room, where the number's settings say so. A slip of the pen in the query is logged.
 */
export function invitationsOf(
  defaults: LanguageDefaults,
  numbers: Readonly<Record<string, NumberSettings>>,
  door?: Doorkeeper,
  log: Log = silentLog,
): (call: IncomingCall) => Invitation | Refusal | Question {
  return call => {
    const number = (Object.hasOwn(numbers, call.to) ? numbers[call.to] : undefined) ?? {}
    const said = webhookQuery(call.query, fault =>
      log.warn({ callSid: call.callSid, ...fault }, 'webhook query not understood'),
    )
    const asked = { ...number, ...said }
    const language = chosen(number, call, door)
    if (typeof language === 'object') return language
    const speaks = language ?? asked.speaks ?? defaults.speaks
    // With others in the room everybody hears their own language, alone one hears the translation.
    const own = speaks === 'none' || !(asked.dial || asked.roomCode) ? defaults.hears : speaks
    const hears = language ?? asked.hears ?? own
    const room = asked.roomCode ? roomByCode(call, hears, door) : asked.dial ? undefined : asked.room
    if (typeof room === 'object') return room
    return {
      room: room ?? `call ${call.callSid}`,
      hears,
      ...(speaks === 'none' ? {} : { speaks }),
      ...(asked.original ? { original: asked.original } : {}),
      ...(asked.name ? { name: asked.name } : {}),
      ...(asked.roomCode ? { echo: false } : {}),
      ...(asked.dial
        ? {
            echo: false,
            dial: { ...planOf(asked.dial, defaults), ...(resumed(call) ? { resumed: true } : {}) },
          }
        : {}),
    }
  }
}

/** Another server had this call before. */
function resumed({ query }: IncomingCall): boolean {
  return query[RESUMES_FIELD] !== undefined
}

/** The language that the caller chose, now or earlier; a question if they are to choose; nothing if it is fixed. */
function chosen(
  { menu }: NumberSettings,
  call: IncomingCall,
  door: Doorkeeper | undefined,
): LanguageId | Question | undefined {
  if (!menu || menu.mode === 'fixed' || call.query.speaks || call.query.hears) return undefined
  const { languages, mode } = menu
  const { language } = call.answers
  const memory = mode === 'remembered' ? door?.remembered : undefined
  if (language !== undefined && languages.includes(language)) {
    memory?.remember(call.from, language)
    return language
  }
  const known = memory?.find(call.from)
  if (known !== undefined && languages.includes(known)) return known
  return { ask: 'language', languages }
}

function roomByCode(
  call: IncomingCall,
  language: LanguageId,
  door: Doorkeeper | undefined,
): string | Question | Refusal {
  const { roomCode } = call.answers
  const goodbye: Refusal = { refused: 'rejected', notice: { notice: 'goodbye', language } }
  if (!door?.guesses.mayTry(call.from)) return goodbye
  if (roomCode === undefined) return { ask: 'room-code', language }
  const room = door.roomOf(roomCode)
  if (room !== undefined) return room
  door.guesses.wrong(call.from)
  return { ask: 'room-code', language, wrong: true }
}

function planOf(
  { to, speaks, hears, original, name, ringSeconds, unanswered }: DialSettings,
  defaults: LanguageDefaults,
): DialPlan {
  const spoken = speaks ?? defaults.speaks
  return {
    to,
    callee: {
      ...(spoken === 'none' ? {} : { speaks: spoken }),
      hears: hears ?? (spoken === 'none' ? defaults.hears : spoken),
      ...(original ? { original } : {}),
      ...(name ? { name } : {}),
    },
    ...(ringSeconds === undefined ? {} : { ringSeconds }),
    ...(unanswered ? { unanswered } : {}),
  }
}
