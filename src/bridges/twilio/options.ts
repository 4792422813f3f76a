import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import type { Log } from '../../common/log.ts'
import type { Announcer } from '../../core/model/announcer.ts'
import type { Admission, Invitation } from '../../core/model/invitation.ts'
import { callable, having } from '../../net/host-plugin.ts'
import { type TwilioLimits, twilioLimitsSchema } from '../telephony/limits.ts'
import type { TwilioDialler } from '../telephony/outbound/dialler.ts'
import type { Answers, Question, SpokenNotice } from '../telephony/question.ts'
import type { Spoken } from './twiml.ts'

/** A call asking for admission, as received from Twilio’s voice webhook. The caller controls all its content. */
export interface IncomingCall {
  readonly callSid: string
  readonly accountSid: string
  /** E.164, `sip:…`, `client:…`, or a word such as `anonymous`. */
  readonly from: string
  readonly to: string
  /** `inbound`, `outbound-api` or `outbound-dial`. */
  readonly direction: string
  /** The query of the webhook’s URL and the form’s fields, first values, in an object without prototype. */
  readonly parameters: Readonly<Record<string, string>>
  /**
   * The query of the webhook’s URL, written by the owner of the number; form fields can contain the caller’s input.
   */
  readonly query: Readonly<Record<string, string>>
  /** The caller’s answers to the questions of `invite`. */
  readonly answers: Answers
}

/** Rejects a call unanswered, or answers it, plays `notice` and hangs up. */
export interface Refusal {
  readonly refused: 'busy' | 'rejected'
  /** Text for Twilio to speak, or a notice of the announcer. */
  readonly notice?: Spoken | SpokenNotice
}

/** State of a server that is shutting down. */
export interface Departure {
  /** Answers new calls with 503, so that another server takes them; otherwise `invite` decides as usual. */
  readonly elsewhere: boolean
  /** Delay before redirected calls request another server (whole seconds). */
  readonly askSeconds: number
}

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface TwilioBridgeOptions {
  /** Admits the legs. */
  readonly relay: Admission
  /**
   * Public address such as `https://bridge.example.com`, configured at Twilio and covered by its signatures. Optional
   * only with `insecure` or `local`; the listening address is used then.
   */
  readonly publicUrl?: string
  /** Auth tokens of the account; several during rotation. */
  readonly authTokens?: readonly string[]
  /** Accepts unsigned requests from this machine only, for demonstrations and tests. Excludes `authTokens`. */
  readonly insecure?: boolean
  /**
   * Accepts signed requests for the loopback listening address, without `publicUrl`. For a bridge without an account.
   */
  readonly local?: boolean
  /**
   * Decides on each new call: its room and languages, or a question to the caller by menu. Synchronous, since Twilio
   * waits; must not throw.
   */
  readonly invite: (call: IncomingCall) => Invitation | Refusal | Question
  /** Speaks menus and notices; required for questions. */
  readonly announcer?: Announcer
  /** Places outbound calls; the bridge handles their webhooks and closes the dialer. */
  readonly dialler?: TwilioDialler
  /** Set while the server is shutting down: calls known only to another server are redirected. */
  readonly departure?: () => Departure | undefined
  readonly clock?: Clock
  readonly log?: Log
  /** Prefix of all routes and of the addresses passed to Twilio, after the prefix of an enclosing scope. */
  readonly prefix?: string
  /** Path of the routes after all prefixes; default `/twilio`. */
  readonly path?: string
  /** Spoken when a call cannot be translated. */
  readonly apology?: Spoken
  readonly limits?: Partial<TwilioLimits>
}

export const DEFAULT_APOLOGY: Spoken = {
  text: 'We’re sorry. This call can’t be translated at the moment. Please call again later.',
}

/**
 * Validates the options when the plugin is registered. Combinations and addresses are checked where they are used.
 */
export const twilioBridgeOptionsSchema = z.strictObject({
  relay: having('the relay or policy that admits legs', 'admit'),
  publicUrl: z.string('the https:// address that Twilio calls').optional(),
  authTokens: z.array(z.string('an auth token'), "a list of the account's auth tokens").optional(),
  insecure: z.boolean('true or false').optional(),
  local: z.boolean('true or false').optional(),
  invite: callable('it decides on each new call'),
  announcer: having('the announcer of menus and notices', 'notice').optional(),
  dialler: having('the dialer for outbound calls', 'dial', 'attach').optional(),
  departure: callable('it returns the state of a shutdown').optional(),
  clock: having('a clock', 'now').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
  prefix: z.string('a path such as /calls').optional(),
  path: z.string('a path such as /twilio').optional(),
  apology: z.object({ text: z.string('words to speak') }, 'an object with text').optional(),
  limits: twilioLimitsSchema.optional(),
} satisfies Record<keyof TwilioBridgeOptions, z.ZodType>)
