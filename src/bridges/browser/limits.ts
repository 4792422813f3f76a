import { z } from 'zod'

/** What a visit may take, and how long things may last. */
export interface BrowserLimits {
  /** From upgrade to `hello` or `resume` (ms). */
  readonly helloWithinMs: number
  /** Largest text message taken (bytes); audio has its own bound. */
  readonly maxTextBytes: number
  /** Messages a second that a page may send for long. */
  readonly messagesPerSecond: number
  /** Messages above that rate which are still taken; of audio those of a stall of two minutes as well, once let in. */
  readonly messageBurst: number
  /** Changes of languages and the like a minute, and links. */
  readonly changesPerMinute: number
  /** Longest gap in the page's clock that is filled with silence; a longer one is a pause (ms). */
  readonly maxGapMs: number
  /** Without audio for this long, silence is fed instead (ms). */
  readonly silenceAfterMs: number
  /** Without any sign of life for this long, a ping is sent (ms). */
  readonly pingAfterMs: number
  /** Without any sign of life for this long, the connection is dead (ms). */
  readonly lostAfterMs: number
  /** Unsent bytes above which the leg is `congested`: a second of audio. */
  readonly congestedBytes: number
  /** Unsent bytes above which the connection is cut. */
  readonly maxUnsentBytes: number
  /** From our close frame to the end of the connection by force (ms). */
  readonly closeWithinMs: number
}

const ms = (fallback: number) => z.number().min(0, 'a time in ms, 0 or more').default(fallback)
const count = (fallback: number, most = Number.MAX_SAFE_INTEGER) =>
  z.int('a whole number').min(0, 'a whole number, 0 or more').max(most, `at most ${most}`).default(fallback)

/** The limits of a bridge; what is not given suits a visit. */
export const browserLimitsSchema: z.ZodType<BrowserLimits> = z.strictObject({
  helloWithinMs: ms(5_000),
  // The largest message that the socket takes.
  maxTextBytes: count(4_096, 65_536),
  messagesPerSecond: count(70),
  messageBurst: count(300),
  changesPerMinute: count(120),
  maxGapMs: ms(10_000),
  silenceAfterMs: ms(1_000),
  pingAfterMs: ms(5_000),
  lostAfterMs: ms(15_000),
  congestedBytes: count(32_768),
  maxUnsentBytes: count(524_288),
  closeWithinMs: ms(1_000),
})

export const DEFAULT_LIMITS: BrowserLimits = browserLimitsSchema.parse({})
