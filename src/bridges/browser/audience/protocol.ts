import { z } from 'zod'
import { parseJsonAs } from '../../../common/json.ts'
import type { LanguageId } from '../../../common/language.ts'
import { languageSchema } from '../../../common/setting-fields.ts'

/** Reasons for rejecting a listener; the page has a message for each. */
export type ListenerRefused =
  /** An unknown, expired or revoked link. */
  | 'link'
  /** The room has as many listeners as it can have. */
  | 'full'
  /** The server cannot check the link now. */
  | 'busy'

/** Reasons for the end of a visit: the link has expired or was revoked, or the server shuts down. */
export type ListenerEnd = 'link' | 'server'

/** All messages to the page of a listener, as JSON. */
export type ToListener =
  /** Admitted. `languages`: those that they can choose. */
  | { readonly kind: 'welcome'; readonly languages: readonly LanguageId[] }
  /** The language that they hear and read from now on; `live`: somebody is there to listen to. */
  | { readonly kind: 'hearing'; readonly language: LanguageId; readonly live: boolean }
  /** The language that they wanted is none of those that the service offers here. */
  | { readonly kind: 'unavailable'; readonly language: LanguageId }
  /** As many languages are in use as the room can have: these. They keep the language that they had. */
  | { readonly kind: 'languages-full'; readonly open: readonly LanguageId[] }
  /** A caption in their language. */
  | {
      readonly kind: 'caption'
      readonly utterance: string
      readonly name?: string
      readonly final: boolean
      readonly language: LanguageId
      readonly text: string
    }
  /** These speak without being translated; empty: nobody does. */
  | { readonly kind: 'outage'; readonly speakers: readonly (string | null)[] }
  /** Discards audio that has not been played. */
  | { readonly kind: 'flush' }
  | { readonly kind: 'pong'; readonly at: number }
  /** The room is on another server of the fleet: `hello` again at this path, relative to the root of the site. */
  | { readonly kind: 'moved'; readonly path: string }
  | { readonly kind: 'refused'; readonly why: ListenerRefused }
  | { readonly kind: 'ended'; readonly why: ListenerEnd }

const language = z.string().max(16).pipe(languageSchema)
const inbound = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('hello'),
    link: z.string().regex(/^[\w-]{20,64}$/),
    /** Absent: they still have to choose. */
    hears: language.optional(),
    /** False: they only read. */
    audio: z.boolean(),
  }),
  z.object({ kind: z.literal('change'), hears: language.optional(), audio: z.boolean().optional() }),
  z.object({ kind: z.literal('ping'), at: z.number() }),
])

/** All messages of a listener; there is no audio among them. */
export type FromListener = z.output<typeof inbound>

export type ListenerHello = Extract<FromListener, { kind: 'hello' }>

/** Parses one text message; undefined for an invalid one. Never throws. */
export function parseListener(text: string): FromListener | undefined {
  return parseJsonAs(text, inbound)
}
