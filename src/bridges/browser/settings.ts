import { z } from 'zod'
import type { Expanded } from '../../common/setting-fields.ts'
import { LONGEST_LINK_MS } from '../../core/calls/room-links.ts'

const ORIGIN = 'an origin like https://talk.example.com'

/** Settings of the talk page. */
export const browserSettingsSchema = z.strictObject({
  access: z.enum(['local', 'invited', 'anyone']).default('local').meta({
    about:
      'Access to the talk page: `local` (users on this machine and anyone with a link or a room code), `invited` (only with a link or a code) or `anyone`.',
  }),
  maxVisitors: z.int().min(1).max(10_000).default(50).meta({
    about:
      'Maximum number of concurrent visitors. One place in five is reserved for visitors with a link or a code.',
  }),
  visitorsPerAddress: z.int().min(1).max(10_000).default(20).meta({
    about:
      'Maximum number of concurrent visitors per address. Users on this machine and limits.exemptAddresses are exempt.',
  }),
  maxMinutes: z
    .number()
    .min(1)
    .max(24 * 60)
    .default(120)
    .meta({ about: 'Maximum length of a visit (minutes).' }),
  linkMinutes: z
    .number()
    .min(1)
    .max(LONGEST_LINK_MS / 60_000)
    .default(120)
    .meta({ about: 'Lifetime of a link and a code created on the page (minutes).' }),
  showNames: z.boolean().default(true).meta({
    about:
      'Before joining, holders of a link see the names of its creator and of the participants in the call, if they have entered one.',
  }),
  origins: z
    .array(
      z
        .string()
        .describe(ORIGIN)
        .refine(text => URL.canParse(text) && new URL(text).origin === text, { message: ORIGIN }),
    )
    .default([])
    .describe(`a list of origins like [https://talk.example.com]`)
    .meta({ about: 'Additional origins that serve the page, in addition to publicUrl and this machine.' }),
})

export type BrowserSettings = Expanded<z.infer<typeof browserSettingsSchema>>

const ms = (fallback: number) => z.number().min(0, 'a time in ms, 0 or more').default(fallback)
const count = (fallback: number, most = Number.MAX_SAFE_INTEGER) =>
  z.int('a whole number').min(0, 'a whole number, 0 or more').max(most, `at most ${most}`).default(fallback)

/** Resource limits and timeouts of a visit, with their defaults. */
export const browserLimitsSchema = z.strictObject({
  /** From upgrade to `hello` or `resume` (ms). */
  helloWithinMs: ms(5_000),
  /** Maximum size of a text message (bytes). Must not exceed the socket’s `maxPayload`; audio has a separate limit. */
  maxTextBytes: count(4_096, 65_536),
  /** Sustained message rate of a page (messages per second). */
  messagesPerSecond: count(70),
  /** Burst above that rate. After admission, the limit for audio also covers a stall of two minutes. */
  messageBurst: count(300),
  /** Changes of languages and other settings, and requests for links, per minute. */
  changesPerMinute: count(120),
  /** Maximum gap in the page’s clock that is filled with silence; a longer one is treated as a pause (ms). */
  maxGapMs: ms(10_000),
  /** Time without audio after which silence is fed instead (ms). */
  silenceAfterMs: ms(1_000),
  /** Time without data after which a ping is sent (ms). */
  pingAfterMs: ms(5_000),
  /** Time without data after which the connection is considered dead (ms). */
  lostAfterMs: ms(15_000),
  /** Unsent bytes above which the leg is `congested`: one second of audio. */
  congestedBytes: count(32_768),
  /** Unsent bytes above which the connection is terminated. */
  maxUnsentBytes: count(524_288),
  /** Time between the close frame and forced termination (ms). */
  closeWithinMs: ms(1_000),
})

export type BrowserLimits = Expanded<Readonly<z.infer<typeof browserLimitsSchema>>>

export const DEFAULT_LIMITS: BrowserLimits = browserLimitsSchema.parse({})
