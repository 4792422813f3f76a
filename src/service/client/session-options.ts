import type { ResultPlaces } from './result-reader.ts'

/** How a session behaves; every value has a default. */
export interface SessionOptions {
  /** Most fragments or texts without acknowledgment. Default 16. */
  readonly window: number
  /** Most `send` calls that may wait for a place in the window. Default 256. */
  readonly maxWaiting: number
  /** From so many events or bytes that nobody has read on, the socket is not read. Default 512, 16 MiB. */
  readonly maxUnread: number
  readonly maxUnreadBytes: number
  /** A message larger than this ends the session (bytes). Default 8 MiB. */
  readonly maxMessageBytes: number
  /** TCP, TLS and handshake. Default 5 s. */
  readonly connectMs: number
  /** From there to `start`. Default 10 s. */
  readonly startMs: number
  /** From a `send` to its acknowledgment. Default 10 s. */
  readonly ackMs: number
  /** `finish`: silence that is sent behind audio, so that the last utterance ends. Default 1 s. */
  readonly tailMs: number
  /** `finish`: everything is answered when nothing comes for so long. Default 3 s. */
  readonly quietMs: number
  /** `finish` on text: longest wait for an answer that does not come. Default 15 s. */
  readonly answerMs: number
  /** Streamed audio: longest wait for the next bytes. Default 30 s. */
  readonly audioMs: number
  /** Streamed audio: most bytes in all. Default 64 MiB, four hours of speech. */
  readonly maxAudioBytes: number
  /** Origins besides the service's own from which streamed audio is fetched, like `https://audio.example.com`. */
  readonly audioOrigins: readonly string[]
  /** Where to look in `result`, for servers that name things otherwise. */
  readonly places: Partial<ResultPlaces>
  /** Ends the opening of a session. */
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

/** Settings of which something must be there; of the others there may be none. */
const AT_LEAST_ONE = ['window', 'maxWaiting', 'maxUnread', 'maxUnreadBytes', 'maxMessageBytes']

/** The defaults with what is given in their place, the last first; throws `RangeError` for a value that cannot be. */
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
