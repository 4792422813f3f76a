import { withDefaults } from '../../common/defaults.ts'
import type { Namespace, ReceiveAudio, SendAudio } from '../contract.ts'
import type { ResultPaths } from './results.ts'
import type { VoiceMode } from './utterance-numbers.ts'

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
  readonly resultPaths: Partial<ResultPaths>
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
  resultPaths: {},
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

/** Requested audio; with `stream`, `start` carries a URL that serves it. */
export type WantedAudio = Partial<Omit<ReceiveAudio, 'obtainVia'>> & { obtainVia?: 'chunk' | 'stream' }

export interface Everywhere {
  /** Extra query parameters for servers that require more than the interface. */
  readonly more?: Readonly<Record<string, string>>
}

export interface Speaking {
  /** Language of the input, `<language>-<region>`. */
  readonly languageIdSource: string
  /** Default: chunk, linear16, 16 kHz. */
  readonly sendAudio?: Partial<SendAudio>
  /** True to receive text that can still change. Default: decided by the service. */
  readonly partials?: boolean
}

export interface Hearing {
  /** Language of the output. */
  readonly languageIdTarget: string
  /** Default: chunk, mp3, 16 kHz, block. */
  readonly receiveAudio?: WantedAudio
  /** The voice, by its id in the voice list. Default: the language's first. */
  readonly voiceId?: string
  readonly voiceGender?: string
  readonly voiceEngine?: string
}

/** Parameters of a session, by namespace. */
export interface SessionParameters {
  '/stt': Speaking & Everywhere
  '/translator': { readonly languageIdSource: string; readonly languageIdTarget: string } & Everywhere
  '/tts': Hearing & Everywhere
  '/sts': Speaking & Hearing & Everywhere
}

type Given = Partial<Speaking & Hearing> & Everywhere

const SEND: SendAudio = { broadcastVia: 'chunk', codec: 'linear16', sampleRate: 16_000 }
const RECEIVE: Required<WantedAudio> = {
  obtainVia: 'chunk',
  codec: 'mp3',
  sampleRate: 16_000,
  mode: 'block',
}

/** Builds the query of a connection, section 2.3 of the interface: the two objects are sent as JSON strings. */
export function sessionQuery<N extends Namespace>(
  namespace: N,
  parameters: SessionParameters[N],
): Record<string, string> {
  const given: Given = parameters
  const { languageIdSource, languageIdTarget, sendAudio, receiveAudio, partials, more } = given
  const sends = namespace === '/stt' || namespace === '/sts'
  const receives = namespace === '/tts' || namespace === '/sts'
  return {
    ...more,
    ...(languageIdSource === undefined ? {} : { languageIdSource }),
    ...(languageIdTarget === undefined ? {} : { languageIdTarget }),
    ...(sends ? { sendAudio: JSON.stringify(withDefaults<object>(SEND, sendAudio)) } : {}),
    ...(receives ? { receiveAudio: JSON.stringify(withDefaults<object>(RECEIVE, receiveAudio)) } : {}),
    ...(partials === undefined ? {} : { partials: String(partials) }),
    ...voiceOf(given),
  }
}

function voiceOf(given: Given): Record<string, string> {
  const { voiceId, voiceGender, voiceEngine } = given
  const wanted = Object.entries({ voiceId, voiceGender, voiceEngine })
  return Object.fromEntries(wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Returns the voice mode of a session with this query. */
export function voiceMode(query: Readonly<Record<string, string>>): VoiceMode {
  if (query.receiveAudio === undefined) return 'none'
  const { mode } = JSON.parse(query.receiveAudio) as Required<WantedAudio>
  return mode === 'streaming' ? 'streaming' : 'block'
}

/** Returns the sample rate of the audio that a session with these parameters sends (Hz). */
export function sendRate(parameters: SessionParameters[Namespace]): number {
  const { sendAudio }: Given = parameters
  return sendAudio?.sampleRate ?? SEND.sampleRate
}
