import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { BridgeError } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import { languageSchema } from '../../common/setting-fields.ts'
import { NOTICES, type NoticeName } from '../../core/model/announcer.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import { checkedDecision, checkedInvitation } from '../../core/model/invitation-check.ts'
import type { Leg } from '../../core/model/leg.ts'
import type { DialInput } from './outbound/outbound-call-state.ts'

/** Field of our URLs with the language the caller chose, so that a restarted server need not ask again. */
export const LANGUAGE_FIELD = 'dragoman-language'

/** Returns the query of the request verbatim, without the question mark. */
export function queryOf(request: FastifyRequest): string {
  const at = request.originalUrl.indexOf('?')
  return at < 0 ? '' : request.originalUrl.slice(at + 1)
}

/** A call asking for admission, as received from the carrier’s webhook. The caller controls all its content. */
export interface IncomingCall {
  readonly callId: string
  readonly accountId: string
  /** E.164, `sip:…`, `client:…`, or a word such as `anonymous`. */
  readonly from: string
  readonly to: string
  /** The carrier’s word, such as `inbound`. */
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

/** A call, with the fields that some webhooks add: keys, status, result of machine detection. */
export interface WebhookCall extends IncomingCall {
  /** Keys pressed in a menu; empty: none. */
  readonly digits: string
  /** State of the call: `ringing`, `picked-up` or `final`. */
  readonly status: DialInput | undefined
  /** Result of machine detection: `person` or `machine`. */
  readonly answeredBy: DialInput | undefined
}

/** Rejects a call unanswered, or answers it, plays `notice` and hangs up. */
export interface Rejection {
  readonly refused: 'busy' | 'rejected'
  /** Text for the carrier to speak, or a notice of the announcer. */
  readonly notice?: Spoken | SpokenNotice
}

/** State of a server that is shutting down. */
export interface DrainState {
  /** Answers new calls with 503, so that another server takes them; otherwise `invite` decides as usual. */
  readonly elsewhere: boolean
  /** Delay before redirected calls request another server (whole seconds). */
  readonly resumeDelaySeconds: number
}

export const DEFAULT_APOLOGY: Spoken = {
  text: 'We’re sorry. This call can’t be translated at the moment. Please call again later.',
}

/** Text for the carrier to speak; `language` is a tag such as `es-ES`, `en-US` by default. */
export interface Spoken {
  readonly text: string
  readonly language?: string
}

/** A question to the caller before admission; `invite` is then called again with the answer. */
export type CallerPrompt =
  /** Key 1 selects the first of `languages`, and so on; each is offered in its own language. */
  | { readonly ask: 'language'; readonly languages: readonly LanguageId[] }
  /** `wrong`: the previous code was invalid; the caller is notified and asked again. */
  | { readonly ask: 'room-code'; readonly language: LanguageId; readonly wrong?: boolean }

/** The caller’s answers so far. */
export interface Answers {
  readonly language?: LanguageId
  readonly roomCode?: string
}

/** A notice of the announcer. */
export interface SpokenNotice {
  readonly notice: NoticeName
  readonly language: LanguageId
}

/** Callbacks for the originator of a call. They must not throw. */
export interface StreamWatch {
  /** A stream has arrived: returns the leg to admit instead. */
  arriving(leg: Leg): Leg
  /** The stream was admitted. */
  arrived(leg: Leg): void
  /** The stream was rejected. */
  rejected(error: BridgeError): void
}

/** The decision on a call: admit it to a room, reject it, or ask the caller first. */
export type Decision = Invitation | Rejection | CallerPrompt

const promptSchema = z.discriminatedUnion(
  'ask',
  [
    z.strictObject({ ask: z.literal('language'), languages: z.array(languageSchema, 'languages').min(1) }),
    z.strictObject({
      ask: z.literal('room-code'),
      language: languageSchema,
      wrong: z.boolean('true or false').optional(),
    }),
  ],
  "'language' or 'room-code'",
)

const rejectionSchema = z.strictObject({
  refused: z.enum(['busy', 'rejected'], "'busy' or 'rejected'"),
  notice: z
    .union(
      [
        z.strictObject({ text: z.string(), language: z.string().optional() }),
        z.strictObject({ notice: z.enum(NOTICES), language: languageSchema }),
      ],
      '{ text, language } or { notice, language }',
    )
    .optional(),
})

/**
 * Returns what a program decided on a call, with its languages normalized. Throws `RangeError` with the expected and the
 * actual value.
 */
export function checkedCallDecision(decision: unknown): Decision {
  if (typeof decision !== 'object' || decision === null)
    throw new RangeError(
      `invite must return an invitation { room, … }, { refused } or { ask }, got ${String(decision)}`,
    )
  if ('ask' in decision)
    return checkedDecision<CallerPrompt>('the question of invite', promptSchema, decision)
  if ('refused' in decision)
    return checkedDecision<Rejection>('the answer of invite', rejectionSchema, decision)
  return checkedInvitation(decision, 'the invitation of invite')
}
