import { z } from 'zod'
import type { Expanded } from '../../common/setting-fields.ts'

const ms = (fallback: number) => z.number().min(0, 'a time in ms, 0 or more').default(fallback)
const count = (fallback: number) =>
  z.int('a whole number').min(0, 'a whole number, 0 or more').default(fallback)

/** Resource limits and timeouts of a call, with their defaults. */
export const streamLimitsSchema = z.strictObject({
  /** Maximum size of a message (bytes). */
  maxMessageBytes: z.int().min(1_024).max(65_536).default(65_536),
  /** Sustained rate of messages; a stream has 50 per second. */
  messagesPerSecond: z.int().min(50).max(1_000).default(60),
  /** Burst above that rate before the stream starts. Afterwards the limit also covers two minutes of messages. */
  messageBurst: z.int().min(1).max(10_000).default(250),
  /** Unsent bytes above which the stream is terminated. */
  maxUnsentBytes: z.int().min(65_536).max(16_777_216).default(1_048_576),
  /** Remembered calls, current and recently ended. */
  maxCalls: z.int().min(1).max(1_000_000).default(10_000),
  /** Lifetime of a stream token, from webhook to `start` (ms). */
  tokenTtlMs: ms(60_000),
  /** From upgrade to `start` (ms). */
  startWithinMs: ms(5_000),
  /** Maximum gap in the media clock that is filled with silence; a longer one is treated as a pause (ms). */
  maxGapMs: ms(10_000),
  /** Time without media after which silence is fed instead (ms). */
  silenceAfterMs: ms(1_000),
  /** Time without data after which a ping is sent (ms). */
  pingAfterMs: ms(5_000),
  /** Time without data after which the stream is considered dead (ms). */
  lostAfterMs: ms(15_000),
  /** Time after `stop` in which the call can continue with other instructions (ms). */
  stoppedMs: ms(2_000),
  /** Unsent bytes above which the leg is `congested`. */
  congestedBytes: count(65_536),
  /** Time between the close frame and forced termination (ms). */
  closeWithinMs: ms(1_000),
  /** Consecutive resumptions, without 5 s of audio between them, before the caller hears an apology. */
  maxResumes: count(3),
  /** Time for which a call without a stream is remembered (ms). */
  rememberMs: ms(600_000),
})

export type StreamLimits = Expanded<Readonly<z.infer<typeof streamLimitsSchema>>>

export const DEFAULT_LIMITS: StreamLimits = streamLimitsSchema.parse({})
