import { z } from 'zod'
import type { Announcer } from '../../core/announcer.ts'
import type { Clock } from '../../core/clock.ts'
import type { Admission, Invitation } from '../../core/invitation.ts'
import type { Log } from '../../core/log.ts'
import { callable, having } from '../../guard/host-plugin.ts'
import type { TwilioDialler } from './dial/dialler.ts'
import { type TwilioLimits, twilioLimitsSchema } from './limits.ts'
import type { Answers, Question, SpokenNotice } from './question.ts'
import type { Spoken } from './twiml.ts'

/** A call that asks to be let in, as Twilio's voice webhook tells of it. Everything in it is the caller's to choose. */
export interface IncomingCall {
  readonly callSid: string
  readonly accountSid: string
  /** E.164, `sip:…`, `client:…`, or a word such as `anonymous`. */
  readonly from: string
  readonly to: string
  /** `inbound`, `outbound-api` or `outbound-dial`. */
  readonly direction: string
  /** The query of the webhook's URL and the form's fields, first values, in an object without prototype. */
  readonly parameters: Readonly<Record<string, string>>
  /** The query of the webhook's URL alone: what the owner of the number wrote, where a form may hold the caller's words. */
  readonly query: Readonly<Record<string, string>>
  /** What the caller answered to the questions of `invite`. */
  readonly answers: Answers
}

/** A call is not let in: turned away unanswered, or answered, told why, and hung up if there is a `notice`. */
export interface Refusal {
  readonly refused: 'busy' | 'rejected'
  /** Words for Twilio to speak, or a notice of the announcer's. */
  readonly notice?: Spoken | SpokenNotice
}

/** Of a server that is about to end. */
export interface Departure {
  /** New calls are answered 503, so that another server takes them; otherwise `invite` decides on them as ever. */
  readonly elsewhere: boolean
  /** Whoever is sent on to another server asks for it after this long (whole seconds). */
  readonly askSeconds: number
}

/** What the bridge works with. What is passed in stays whose it is. */
export interface TwilioBridgeOptions {
  /** Where the legs go. */
  readonly relay: Admission
  /**
   * `https://bridge.example.com`: what Twilio is configured with and signs. May be left out only with `insecure` or `local`, when
   * the address listened on serves.
   */
  readonly publicUrl?: string
  /** The account's auth tokens; more than one while they are rotated. */
  readonly authTokens?: readonly string[]
  /** Takes unsigned requests, from this machine only. For demonstrations and tests; excludes `authTokens`. */
  readonly insecure?: boolean
  /** Signed requests for the loopback address listened on: `publicUrl` may be left out. For a bridge without an account. */
  readonly local?: boolean
  /**
   * Decides on each new call: which room, which languages; or asks the caller first, by a menu of keys. Synchronous, as
   * Twilio waits; must not throw.
   */
  readonly invite: (call: IncomingCall) => Invitation | Refusal | Question
  /** Speaks the menus and notices; without it nothing can be asked. */
  readonly announcer?: Announcer
  /** Places calls of its own; the bridge answers their webhooks, and closes it. */
  readonly dialler?: TwilioDialler
  /** Set while the server is about to end: calls that only another server knew are sent on. */
  readonly departure?: () => Departure | undefined
  readonly clock?: Clock
  readonly log?: Log
  /** Put before every route, and into every address that Twilio is given, as is the prefix of a scope around the plugin. */
  readonly prefix?: string
  /** What the routes begin with, behind all prefixes; default `/twilio`. */
  readonly path?: string
  /** Said when a call cannot be translated after all. */
  readonly apology?: Spoken
  readonly limits?: Partial<TwilioLimits>
}

export const DEFAULT_APOLOGY: Spoken = {
  text: 'We are sorry. This call cannot be translated at the moment. Please call again later.',
}

/** Checks the options when the plugin is registered. What goes together, and addresses, are judged where they are used. */
export const twilioBridgeOptionsSchema = z.strictObject({
  relay: having('where the legs go', 'admit'),
  publicUrl: z.string('the https:// address that Twilio calls').optional(),
  authTokens: z.array(z.string('an auth token'), "a list of the account's auth tokens").optional(),
  insecure: z.boolean('true or false').optional(),
  local: z.boolean('true or false').optional(),
  invite: callable('it decides on each new call'),
  announcer: having('what speaks the menus', 'notice').optional(),
  dialler: having('what places calls', 'dial', 'attach').optional(),
  departure: callable('it says whether the server is about to end').optional(),
  clock: having('a clock', 'now').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
  prefix: z.string('a path such as /calls').optional(),
  path: z.string('a path such as /twilio').optional(),
  apology: z.object({ text: z.string('words to speak') }, 'an object with text').optional(),
  limits: twilioLimitsSchema.optional(),
} satisfies Record<keyof TwilioBridgeOptions, z.ZodType>)
