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

export const DEFAULT_LIMITS: BrowserLimits = {
  helloWithinMs: 5_000,
  maxTextBytes: 4_096,
  messagesPerSecond: 70,
  messageBurst: 300,
  changesPerMinute: 120,
  maxGapMs: 10_000,
  silenceAfterMs: 1_000,
  pingAfterMs: 5_000,
  lostAfterMs: 15_000,
  congestedBytes: 32_768,
  maxUnsentBytes: 524_288,
  closeWithinMs: 1_000,
}
