import { z } from 'zod'
import { isLanguageId } from '../../core/languages.ts'

/** What the page says, in JSON, to and from values. No socket, no state; audio is in `packet.ts`. */

const language = z.string().max(16).refine(isLanguageId)
/** By the id in the service's list. */
const voice = z.string().regex(/^[\w.:+ -]{1,64}$/)
/** Voices by the language that they speak. */
const voices = z.record(language, voice).refine(record => Object.keys(record).length <= 20)
const name = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .refine(text => !/\p{Cc}/u.test(text))
const original = z.enum(['off', 'low', 'duck'])
const token = z.string().regex(/^[\w-]{20,64}$/)
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

const hello = z.object({
  kind: z.literal('hello'),
  /** Absent: they only listen. */
  speaks: language.optional(),
  /** What they want to hear while others are there. */
  hears: language,
  /** … and while they are alone: their own words in it. */
  alone: language,
  voices: voices.default({}),
  original: original.default('duck'),
  name: name.optional(),
  muted: z.boolean().default(false),
  /** The room: that of a link, that of a code, or one of their own. */
  link: token.optional(),
  code: z
    .string()
    .regex(/^\d{4,10}$/)
    .optional(),
})

const INBOUND = {
  hello,
  /** Goes on with a visit after a cut. */
  resume: z.object({ kind: z.literal('resume'), call: token, secret: token }),
  /** What is absent stays as it is; `null` takes away. */
  change: z.object({
    kind: z.literal('change'),
    speaks: language.nullable().optional(),
    hears: language.optional(),
    alone: language.optional(),
    /** All of them. */
    voices: voices.optional(),
    original: original.optional(),
    name: name.nullable().optional(),
    muted: z.boolean().optional(),
  }),
  /** All before the mark was played. */
  mark: z.object({ kind: z.literal('mark'), id: count }),
  key: z.object({ kind: z.literal('key'), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  ping: z.object({ kind: z.literal('ping'), at: z.number() }),
  invite: z.object({ kind: z.literal('invite') }),
  /** How playing goes, from time to time: sums since the page began. */
  report: z.object({ kind: z.literal('report'), underruns: count, skippedMs: count, bufferedMs: count }),
  bye: z.object({ kind: z.literal('bye') }),
} as const

type Kind = keyof typeof INBOUND
type Known = { [K in Kind]: z.output<(typeof INBOUND)[K]> }

export type Voices = z.output<typeof voices>
export type Hello = Known['hello']
export type Change = Known['change']

/** What is wrong with a message; a closed set, fit for a metric's label. */
export type WireFault = 'json' | 'shape' | Kind

/** Everything that can arrive as text. */
export type Inbound =
  | Known[Kind]
  /** Of a later version of the page. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly fault: WireFault }

/** One text message. Never throws, whatever `text` is. */
export function parse(text: string): Inbound {
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
