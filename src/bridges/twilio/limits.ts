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

/** Limits that suit a telephone call. */
export const DEFAULT_LIMITS: TwilioLimits = {
  tokenTtlMs: 60_000,
  startWithinMs: 5_000,
  maxMessageBytes: 65_536,
  messagesPerSecond: 60,
  messageBurst: 250,
  maxGapMs: 10_000,
  silenceAfterMs: 1_000,
  pingAfterMs: 5_000,
  lostAfterMs: 15_000,
  stoppedMs: 2_000,
  congestedBytes: 65_536,
  maxUnsentBytes: 1_048_576,
  closeWithinMs: 1_000,
  maxResumes: 3,
  maxCalls: 10_000,
  rememberMs: 600_000,
}
