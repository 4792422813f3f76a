import { z } from 'zod'

/** What a call may take, and how long things may last. The defaults are in `DEFAULT_LIMITS`. */
export interface TwilioLimits {
  /** Life of a stream token, from webhook to `start` (ms). */
  readonly tokenTtlMs: number
  /** From upgrade to `start` (ms). */
  readonly startWithinMs: number
  /** Largest message taken (bytes). */
  readonly maxMessageBytes: number
  /** Messages a second that a stream may send for long. */
  readonly messagesPerSecond: number
  /** Messages above that rate which are taken before `start`; after it those of a stall of two minutes as well. */
  readonly messageBurst: number
  /** Longest gap in the media clock that is filled with silence; a longer one is a pause (ms). */
  readonly maxGapMs: number
  /** Without media for this long, silence is fed instead (ms). */
  readonly silenceAfterMs: number
  /** Without any sign of life for this long, a ping is sent (ms). */
  readonly pingAfterMs: number
  /** Without any sign of life for this long, the stream is dead (ms). */
  readonly lostAfterMs: number
  /** After `stop`, for so long it may turn out that the call goes on by other instructions (ms). */
  readonly stoppedMs: number
  /** Unsent bytes above which the leg is `congested`. */
  readonly congestedBytes: number
  /** Unsent bytes above which the stream is dropped. */
  readonly maxUnsentBytes: number
  /** From our close frame to the end of the connection by force (ms). */
  readonly closeWithinMs: number
  /** Resumptions in a row without 5 s of audio between them, before the caller is told sorry. */
  readonly maxResumes: number
  /** Calls remembered at once, live and lately ended. */
  readonly maxCalls: number
  /** How long a call that is not streaming is remembered (ms). */
  readonly rememberMs: number
}

const ms = (fallback: number) => z.number().min(0, 'a time in ms, 0 or more').default(fallback)
const count = (fallback: number) =>
  z.int('a whole number').min(0, 'a whole number, 0 or more').default(fallback)

/** Those that are settings of the server too. */
export const streamSettingsSchema = z.strictObject({
  maxMessageBytes: z
    .int()
    .min(1_024)
    .max(65_536)
    .default(65_536)
    .meta({ about: 'Largest message of a media stream (bytes).' }),
  messagesPerSecond: z
    .int()
    .min(50)
    .max(1_000)
    .default(60)
    .meta({ about: 'Messages that a media stream may bring in a second.' }),
  messageBurst: z.int().min(1).max(10_000).default(250).meta({
    about:
      'So many above that at once before the stream has begun; from then on two minutes of them as well.',
  }),
  maxUnsentBytes: z
    .int()
    .min(65_536)
    .max(16_777_216)
    .default(1_048_576)
    .meta({ about: 'Bytes that may wait for a far side which does not read.' }),
  maxCalls: z.int().min(1).max(1_000_000).default(10_000).meta({ about: 'Calls remembered at once.' }),
})

/** The limits of a bridge; what is not given suits a telephone call. */
export const twilioLimitsSchema: z.ZodType<TwilioLimits> = z.strictObject({
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

/** Limits that suit a telephone call. */
export const DEFAULT_LIMITS: TwilioLimits = twilioLimitsSchema.parse({})
