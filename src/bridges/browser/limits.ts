import { z } from 'zod'
import type { Expanded } from '../../common/setting-fields.ts'

const ms = (fallback: number) => z.number().min(0, 'a time in ms, 0 or more').default(fallback)
const count = (fallback: number, most = Number.MAX_SAFE_INTEGER) =>
  z.int('a whole number').min(0, 'a whole number, 0 or more').max(most, `at most ${most}`).default(fallback)

/**
 * Resource limits, rate limits and timeouts of a visit to the talk page or the page for listening, with their defaults.
 * Elsewhere: HTTP requests (`net/server-limits.ts`), invitations of a room (`room-invitations.ts`), the pace of audio
 * (`page-timeline.ts`), connections before admission (`lobby.ts`), key presses (`core/model/leg.ts`) and bad messages
 * (`websocket/guarded-socket.ts`).
 */
export const browserLimitsSchema = z.strictObject({
  /** Concurrent visitors per address; without an invitation at most half of the open places. */
  visitorsPerAddress: count(20),
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
  /** Burst above that rate. */
  changeBurst: count(30),
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
