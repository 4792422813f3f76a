import { z } from 'zod'
import { asciiDigits } from '../../common/digits.ts'
import type { LanguageId } from '../../common/language.ts'
import { languageSchema } from '../../common/setting-fields.ts'
import type { Audience } from '../../core/model/audience.ts'
import type { Reception } from '../../core/model/reception.ts'

/** Reasons for rejecting a visitor or ending a visit; the page has a message for each. */
export const REFUSALS = [
  /** No link, and not on this machine. */
  'uninvited',
  /** An unknown, expired or revoked link. */
  'link',
  /** A code without a room. */
  'code',
  /** Too many wrong codes. */
  'too-many-codes',
  /** A language that the service does not support. */
  'language',
  'full',
  /** The server currently accepts no new calls. */
  'busy',
  /** The visit to resume is over. */
  'gone',
] as const
export type JoinRefusal = (typeof REFUSALS)[number]

/** Reasons for the end of a visit. */
export type VisitEnd = 'hung-up' | 'time' | 'replaced' | 'server' | 'failed'

/** A participant of the room. */
export interface PartyView {
  readonly id: string
  readonly channel: string
  readonly name?: string
  readonly speaks?: LanguageId
  readonly hears?: LanguageId
  readonly muted: boolean
  readonly you: boolean
  /** Disconnected, may reconnect. */
  readonly absent: boolean
}

/** What the visitor gets from one speaker, of whom `you` is the visitor, who hears their own translation. */
export interface ReceptionView extends Omit<Reception, 'listener'> {
  readonly name?: string
  readonly you: boolean
}

/** Current state of the visitor. */
export interface SelfView {
  readonly speaks?: LanguageId
  /** The language they currently hear. */
  readonly hears?: LanguageId
  /** Other participants are in the room. */
  readonly accompanied: boolean
  /** The languages they hear in company and alone. */
  readonly company: LanguageId
  readonly alone: LanguageId
  readonly voice?: string
  readonly original: 'off' | 'low' | 'duck'
  readonly muted: boolean
}

/** All messages to the page, as JSON. */
export type Outbound =
  | {
      readonly kind: 'welcome'
      /** Credentials for resuming the visit after a disconnection. */
      readonly call: string
      readonly secret: string
      readonly resumed: boolean
      /** Differs after a restart of the server: whoever is missing then has not come back, rather than left. */
      readonly server: string
      /** Remaining time of the visit (ms). */
      readonly endsInMs: number
      /** Address of the room’s captions, for the visitor who created the room. */
      readonly captions?: string
      /** Token of a link to the room, for a new session if the server ends. Only servers of a fleet send it. */
      readonly rejoin?: string
      readonly self: SelfView
      readonly parties: readonly PartyView[]
      readonly listeners: readonly Audience[]
    }
  | { readonly kind: 'self'; readonly self: SelfView }
  /** Who is in the room, and how many listen in which language by links for listening. */
  | {
      readonly kind: 'parties'
      readonly parties: readonly PartyView[]
      readonly listeners: readonly Audience[]
    }
  | {
      readonly kind: 'caption'
      /** Spoken by the visitor. */
      readonly mine: boolean
      readonly name?: string
      readonly utterance: string
      readonly from: LanguageId
      readonly to: LanguageId
      readonly final: boolean
      readonly text?: string
      readonly translation?: string
    }
  /**
   * A translation starts to play. `ms`: delay between the speaker’s last word and its sending; `heard`: between a word of a speaker who
   * continues and its translation at the visitor.
   */
  | { readonly kind: 'latency'; readonly ms: number; readonly heard?: true }
  /** What the visitor gets from each speaker now: after `welcome`, and whenever it changes. */
  | { readonly kind: 'receptions'; readonly from: readonly ReceptionView[] }
  /** Requests an echo of `id` once all audio before it has been played. */
  | { readonly kind: 'mark'; readonly id: number }
  /** Discards audio and marks that have not been played. */
  | { readonly kind: 'flush' }
  | { readonly kind: 'pong'; readonly at: number }
  /** Ways for another person to join the room. */
  | {
      readonly kind: 'invited'
      readonly path: string
      /** The link for an audience, which only listens. */
      readonly listenPath: string
      /** Public address of this server. */
      readonly publicUrl?: string
      readonly code?: string
      /** Phone numbers that prompt for the code. */
      readonly numbers: readonly string[]
      /** The code also works in a Discord channel. */
      readonly discord?: true
      readonly endsInMs: number
    }
  /** A request failed; the visit continues. */
  | { readonly kind: 'sorry'; readonly what: 'change' | 'invite' }
  /** The room is on another server of the fleet: `hello` again at this path, relative to the root of the site. */
  | { readonly kind: 'moved'; readonly path: string }
  | { readonly kind: 'refused'; readonly why: JoinRefusal }
  | { readonly kind: 'ended'; readonly why: VisitEnd }

/** Parses and validates the JSON messages of the page. No socket, no state; audio is in `packet.ts`. */

const language = z.string().max(16).pipe(languageSchema)
/** Id in the service’s list. */
const voice = z.string().regex(/^[\w.:+ -]{1,64}$/)
/** Voices by the language they speak. */
const voices = z.record(language, voice).refine(record => Object.keys(record).length <= 20)
const name = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .refine(text => !/\p{Cc}/u.test(text))
const original = z.enum(['off', 'low', 'duck'])
const token = z.string().regex(/^[\w-]{20,64}$/)
/** Longest code as typed, in any script. */
const MOST_TYPED = 32
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

const hello = z.object({
  kind: z.literal('hello'),
  /** Absent: they only listen. */
  speaks: language.optional(),
  /** Language they hear in company. */
  hears: language,
  /** Language they hear alone: a translation of their speech. */
  alone: language,
  voices: voices.default({}),
  original: original.default('duck'),
  name: name.optional(),
  /** What others call them without a name, in the language of their page. */
  unnamed: name.optional(),
  muted: z.boolean().default(false),
  /** The room: that of a link, that of a code, or a new one. */
  link: token.optional(),
  code: z
    .string()
    .max(MOST_TYPED)
    .transform(asciiDigits)
    .pipe(z.string().regex(/^\d{4,12}$/))
    .optional(),
})

const INBOUND = {
  hello,
  /** Resumes a visit after a disconnection. With `hello`, also one that a former run of this server began. */
  resume: z.object({ kind: z.literal('resume'), call: token, secret: token, hello: hello.optional() }),
  /** Absent fields remain unchanged; `null` removes a value. */
  change: z.object({
    kind: z.literal('change'),
    speaks: language.nullable().optional(),
    hears: language.optional(),
    alone: language.optional(),
    /** Replaces all voices. */
    voices: voices.optional(),
    original: original.optional(),
    name: name.nullable().optional(),
    muted: z.boolean().optional(),
  }),
  /** All audio before the mark was played. */
  mark: z.object({ kind: z.literal('mark'), id: count }),
  key: z.object({ kind: z.literal('key'), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  ping: z.object({ kind: z.literal('ping'), at: z.number() }),
  invite: z.object({ kind: z.literal('invite') }),
  /** Periodic playback statistics: totals since the page was loaded. */
  report: z.object({ kind: z.literal('report'), underruns: count, skippedMs: count, bufferedMs: count }),
  bye: z.object({ kind: z.literal('bye') }),
} as const

type Kind = keyof typeof INBOUND
type Known = { [K in Kind]: z.output<(typeof INBOUND)[K]> }

export type Voices = z.output<typeof voices>
export type Hello = Known['hello']
export type LanguageChange = Known['change']

/** Faults of a message: a closed set, usable as a metric label. */
export type PageMessageFault = 'json' | 'shape' | Kind

/** All possible text messages. */
export type PageMessage =
  | Known[Kind]
  /** From a later version of the page. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly fault: PageMessageFault }

/** Parses one text message. Never throws. */
export function parse(text: string): PageMessage {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { kind: 'invalid', fault: 'json' }
  }
  const kind = typeof message === 'object' && message !== null && 'kind' in message ? message.kind : undefined
  if (typeof kind !== 'string') return { kind: 'invalid', fault: 'shape' }
  if (!isKind(kind)) return { kind: 'unknown' }
  const read = INBOUND[kind].safeParse(message)
  return read.success ? read.data : { kind: 'invalid', fault: kind }
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(INBOUND, kind)
}
