import type { LanguageId } from '../../common/language.ts'
import { errorFields, type Logger, noopLogger } from '../../common/log.ts'
import { languageSchema } from '../../common/setting-fields.ts'
import { closestMatch } from '../../common/suggest.ts'
import { CodeAttempts, type CodeLimiter } from '../../core/calls/code-attempts.ts'
import type { LanguageSettings } from '../../core/calls/settings.ts'
import type { DialPlan, OriginalMix } from '../../core/model/invitation.ts'
import { busy, type Decide, whenKnown } from './call-policy.ts'
import type { CallerPrompt, Decision, IncomingCall, Rejection } from './incoming-call.ts'
import type { DialSettings, NumberSettings } from './number-settings.ts'
import { RESUMES_FIELD } from './resumption.ts'

/** Parameters of a webhook’s address. Absent parameters default to the number’s settings. */
export type WebhookQuery = Pick<NumberSettings, 'speaks' | 'hears' | 'room' | 'original' | 'name'>

/** An ignored parameter, for the log: never a phone number or a name. */
export interface QueryFault {
  readonly parameter: string
  readonly found: string
  readonly allowed: string
}

const LANGUAGE = 'a language like en-us'
const NAME = 'up to 64 characters, without control characters'
const ORIGINALS: readonly string[] = ['off', 'low', 'duck'] satisfies OriginalMix[]

interface Parameter {
  /** Returns the value; undefined if it does not fit. */
  readonly read: (text: string) => string | undefined
  readonly allowed: string
}

const PARAMETERS: Readonly<Record<keyof WebhookQuery, Parameter>> = {
  speaks: { read: text => (text === 'none' ? text : languageIn(text)), allowed: `${LANGUAGE}, or none` },
  hears: { read: languageIn, allowed: LANGUAGE },
  room: { read: nameIn, allowed: NAME },
  original: { read: text => ORIGINALS.find(each => each === text), allowed: ORIGINALS.join(', ') },
  name: { read: nameIn, allowed: NAME },
}
const KNOWN = Object.keys(PARAMETERS)

/**
 * Parses the query. Invalid values and unknown parameters are ignored, since an address can have parameters of others;
 * `slip` is called for possible typos.
 */
export function webhookQuery(
  query: Readonly<Record<string, string>>,
  slip: (fault: QueryFault) => void = () => {},
): WebhookQuery {
  const said: Record<string, string> = {}
  for (const [parameter, { read, allowed }] of Object.entries(PARAMETERS)) {
    const text = query[parameter]
    if (!text) continue
    const value = read(text)
    if (value !== undefined) said[parameter] = value
    else slip({ parameter, found: shown(text), allowed })
  }
  for (const parameter of Object.keys(query)) {
    const meant =
      KNOWN.includes(parameter) || !/^[\w-]{1,32}$/.test(parameter)
        ? undefined
        : closestMatch(parameter, KNOWN)
    if (meant)
      slip({
        parameter,
        found: 'an unknown parameter',
        allowed: `${KNOWN.join(', ')} (did you mean ${meant}?)`,
      })
  }
  return said
}

function languageIn(text: string): LanguageId | undefined {
  const { success, data } = languageSchema.safeParse(text)
  return success ? data : undefined
}

/** Short and without control characters, because it is displayed and logged. */
function nameIn(text: string): string | undefined {
  return text.length <= 64 && !/\p{Cc}/u.test(text) ? text : undefined
}

/** Returns a word unchanged; of anything else, only the length. */
function shown(text: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,23}$/.test(text) ? `"${text}"` : `a text of ${text.length} characters`
}

/** The languages that callers chose in their last calls. */
export interface CallerLanguages {
  /** Returns the language that `caller` chose, if it is stored. A promise never rejects. */
  find(caller: string): LanguageId | undefined | Promise<LanguageId | undefined>
  /** Stores the choice of `caller`, unless the number is withheld. */
  remember(caller: string, language: LanguageId): void
}

/** Dependencies of the decision, in addition to the settings. */
export interface NumberRouterOptions {
  /** Resolves to the room of a code. Rejects with `BridgeError` `FLEET_AWAY` if it cannot be checked. */
  readonly roomOf: (code: string) => Promise<string | undefined>
  readonly roomCodeLimiter: CodeLimiter
  /** Absent: choices are not remembered. */
  readonly remembered?: CallerLanguages | undefined
}

/**
 * Returns a function that selects room and languages of a call: by the number called, overridden by the query of the
 * webhook’s own URL (`/twilio/voice?speaks=en-us&hears=es-es&room=desk`), which the carrier’s signature covers. Callers
 * enter their language or a room code if the number’s settings require it. Logs invalid query fields. Returns a promise
 * only where a code or a caller has to be looked up.
 */
export function createNumberRouter(
  defaults: LanguageSettings,
  numbers: Readonly<Record<string, NumberSettings>>,
  options?: NumberRouterOptions,
  log: Logger = noopLogger,
): Decide {
  const attempts = options && new CodeAttempts(options.roomOf, options.roomCodeLimiter)
  const roomByCode = (call: IncomingCall, language: LanguageId) => {
    const { roomCode } = call.answers
    if (!attempts || options?.roomCodeLimiter.mayTry(call.from) === false) return goodbye(language)
    if (roomCode === undefined) return { ask: 'room-code', language } as const
    return attempts.find(call.from, roomCode).then(
      ({ room, refused }) =>
        room ?? (refused ? goodbye(language) : ({ ask: 'room-code', language, wrong: true } as const)),
      (error: unknown) => {
        log.warn({ callId: call.callId, ...errorFields(error) }, 'room code cannot be checked')
        return busy(language)
      },
    )
  }
  return call => {
    const number = (Object.hasOwn(numbers, call.to) ? numbers[call.to] : undefined) ?? {}
    const said = webhookQuery(call.query, fault =>
      log.warn({ callId: call.callId, ...fault }, 'invalid webhook query'),
    )
    const asked = { ...number, ...said }
    return whenKnown(chosen(number, call, options?.remembered), language => {
      if (typeof language === 'object') return language
      const speaks = language ?? asked.speaks ?? defaults.speaks
      // In company, everyone hears their own language; alone, callers hear their translation.
      const own = speaks === 'none' || !(asked.dial || asked.roomCode) ? defaults.hears : speaks
      const hears = language ?? asked.hears ?? own
      const named = asked.roomCode ? roomByCode(call, hears) : asked.dial ? undefined : asked.room
      return whenKnown<Named, Decision>(named, room => {
        if (typeof room === 'object') return room
        return {
          room: room ?? `call ${call.callId}`,
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
      })
    })
  }
}

/** The room that a call names, or the decision on a call that cannot join one. */
type Named = string | CallerPrompt | Rejection | undefined

function goodbye(language: LanguageId): Rejection {
  return { refused: 'rejected', notice: { notice: 'goodbye', language } }
}

/** Returns true if another server handled this call before. */
function resumed({ query }: IncomingCall): boolean {
  return query[RESUMES_FIELD] !== undefined
}

/**
 * Returns the language the caller chose now or earlier, a question if they have to choose, or undefined if it is
 * fixed.
 */
function chosen(
  { menu }: NumberSettings,
  call: IncomingCall,
  remembered: CallerLanguages | undefined,
): LanguageId | CallerPrompt | undefined | Promise<LanguageId | CallerPrompt> {
  if (!menu || menu.mode === 'fixed' || call.query.speaks || call.query.hears) return undefined
  const { languages, mode } = menu
  const { language } = call.answers
  const memory = mode === 'remembered' ? remembered : undefined
  if (language !== undefined && languages.includes(language)) {
    memory?.remember(call.from, language)
    return language
  }
  return whenKnown<LanguageId | undefined, LanguageId | CallerPrompt>(memory?.find(call.from), known =>
    known !== undefined && languages.includes(known) ? known : { ask: 'language', languages },
  )
}

function planOf(
  { to, speaks, hears, original, name, unanswered }: DialSettings,
  defaults: LanguageSettings,
): DialPlan {
  const spoken = speaks ?? defaults.speaks
  return {
    to,
    callee: {
      ...(spoken === 'none' ? {} : { speaks: spoken }),
      hears: hears ?? (spoken === 'none' ? defaults.hears : spoken),
      original,
      name,
    },
    unanswered,
  }
}
