import type { ResultPlaces } from './result-reader.ts'

/** Options of a session; every value has a default. */
export interface SessionOptions {
  /** Maximum number of unacknowledged fragments or texts. Default 16. */
  readonly window: number
  /** Maximum number of `send` calls waiting for the window. Default 256. */
  readonly maxWaiting: number
  /** Number of unread events or bytes at which the socket pauses. Default 512, 16 MiB. */
  readonly maxUnread: number
  readonly maxUnreadBytes: number
  /** Maximum message size; a larger one ends the session (bytes). Default 8 MiB. */
  readonly maxMessageBytes: number
  /** TCP, TLS and handshake. Default 5 s. */
  readonly connectMs: number
  /** From there to `start`. Default 10 s. */
  readonly startMs: number
  /** From a `send` to its acknowledgment. Default 10 s. */
  readonly ackMs: number
  /** `finish`: silence sent after audio, so that the last utterance ends. Default 1 s. */
  readonly tailMs: number
  /** `finish`: everything counts as answered after this time without an event. Default 3 s. */
  readonly quietMs: number
  /** `finish` on text: maximum wait for a missing answer. Default 15 s. */
  readonly answerMs: number
  /** Streamed audio: maximum wait for the next bytes. Default 30 s. */
  readonly audioMs: number
  /** Streamed audio: maximum size. Default 64 MiB, four hours of speech. */
  readonly maxAudioBytes: number
  /**
   * Origins from which streamed audio is fetched, in addition to the service's own, like `https://audio.example.com`.
   */
  readonly audioOrigins: readonly string[]
  /** Paths in `result`, for servers that use other names. */
  readonly places: Partial<ResultPlaces>
  /** Aborts the opening of a session. */
  readonly signal: AbortSignal
}

export type SessionSettings = Omit<SessionOptions, 'signal'>

export const SESSION_DEFAULTS = {
  window: 16,
  maxWaiting: 256,
  maxUnread: 512,
  maxUnreadBytes: 16 * 1024 * 1024,
  maxMessageBytes: 8 * 1024 * 1024,
  connectMs: 5_000,
  startMs: 10_000,
  ackMs: 10_000,
  tailMs: 1_000,
  quietMs: 3_000,
  answerMs: 15_000,
  audioMs: 30_000,
  maxAudioBytes: 64 * 1024 * 1024,
  audioOrigins: [],
  places: {},
} as const satisfies SessionSettings

/** Settings with a minimum of 1; the others can be 0. */
const AT_LEAST_ONE = ['window', 'maxWaiting', 'maxUnread', 'maxUnreadBytes', 'maxMessageBytes']

/** Merges the defaults with the given settings, later ones first; throws `RangeError` for invalid values. */
export function sessionSettings(...given: readonly Partial<SessionSettings>[]): SessionSettings {
  const settings: Record<string, unknown> = { ...SESSION_DEFAULTS }
  for (const name of Object.keys(SESSION_DEFAULTS)) {
    const value = given.map(each => each[name as keyof SessionSettings]).findLast(each => each !== undefined)
    if (value === undefined) continue
    if (typeof settings[name] === 'number') assertNumber(name, value)
    settings[name] = value
  }
  return settings as unknown as SessionSettings
}

function assertNumber(name: string, value: unknown): void {
  const least = AT_LEAST_ONE.includes(name) ? 1 : 0
  if (typeof value !== 'number' || Number.isNaN(value) || value < least)
    throw new RangeError(`${name} is ${String(value)}, allowed are numbers from ${least}`)
}
