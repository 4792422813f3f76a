import { z } from 'zod'

/** Resource limits and timeouts of a call. The defaults are in `DEFAULT_LIMITS`. */
export interface StreamLimits {
  /** Lifetime of a stream token, from webhook to `start` (ms). */
  readonly tokenTtlMs: number
  /** From upgrade to `start` (ms). */
  readonly startWithinMs: number
  /** Maximum message size (bytes). */
  readonly maxMessageBytes: number
  /** Sustained message rate of a stream (messages per second). */
  readonly messagesPerSecond: number
  /** Burst above that rate before `start`; afterwards the limit also covers a stall of two minutes. */
  readonly messageBurst: number
  /** Maximum gap in the media clock that is filled with silence; a longer one is treated as a pause (ms). */
  readonly maxGapMs: number
  /** Time without media after which silence is fed instead (ms). */
  readonly silenceAfterMs: number
  /** Time without data after which a ping is sent (ms). */
  readonly pingAfterMs: number
  /** Time without data after which the stream is considered dead (ms). */
  readonly lostAfterMs: number
  /** Time after `stop` in which the call can continue with other instructions (ms). */
  readonly stoppedMs: number
  /** Unsent bytes above which the leg is `congested`. */
  readonly congestedBytes: number
  /** Unsent bytes above which the stream is terminated. */
  readonly maxUnsentBytes: number
  /** Time between the close frame and forced termination (ms). */
  readonly closeWithinMs: number
  /** Consecutive resumptions, without 5 s of audio between them, before the caller hears an apology. */
  readonly maxResumes: number
  /** Maximum number of remembered calls, current and recently ended. */
  readonly maxCalls: number
  /** Time for which a call without a stream is remembered (ms). */
  readonly rememberMs: number
}

const ms = (fallback: number) => z.number().min(0, 'a time in ms, 0 or more').default(fallback)
const count = (fallback: number) =>
  z.int('a whole number').min(0, 'a whole number, 0 or more').default(fallback)

/** Limits that are also settings of the server. */
export const streamSettingsSchema = z.strictObject({
  maxMessageBytes: z
    .int()
    .min(1_024)
    .max(65_536)
    .default(65_536)
    .meta({ about: 'Maximum message size of a media stream (bytes).' }),
  messagesPerSecond: z
    .int()
    .min(50)
    .max(1_000)
    .default(60)
    .meta({ about: 'Maximum sustained message rate of a media stream (messages per second).' }),
  messageBurst: z.int().min(1).max(10_000).default(250).meta({
    about:
      'Burst above that rate before the stream starts. Afterwards the limit also covers two minutes of messages.',
  }),
  maxUnsentBytes: z
    .int()
    .min(65_536)
    .max(16_777_216)
    .default(1_048_576)
    .meta({ about: 'Maximum unsent data per media stream before it is terminated (bytes).' }),
  maxCalls: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .meta({ about: 'Maximum number of remembered calls, current and recently ended.' }),
})

/** Limits of a bridge, with defaults for phone calls. */
export const streamLimitsSchema: z.ZodType<StreamLimits> = z.strictObject({
  ...streamSettingsSchema.shape,
  tokenTtlMs: ms(60_000),
  startWithinMs: ms(5_000),
  maxGapMs: ms(10_000),
  silenceAfterMs: ms(1_000),
  pingAfterMs: ms(5_000),
  lostAfterMs: ms(15_000),
  stoppedMs: ms(2_000),
  congestedBytes: count(65_536),
  closeWithinMs: ms(1_000),
  maxResumes: count(3),
  rememberMs: ms(600_000),
})

export const DEFAULT_LIMITS: StreamLimits = streamLimitsSchema.parse({})
