import type { Clock } from '../../common/clock.ts'
import type { Namespace } from '../../service/contract.ts'

/** One HTTP reply. */
export interface Reply {
  /** The request, without the key. */
  readonly asked: string
  /** 0 when there was no reply. */
  readonly status: number
  /** The body as JSON, undefined when it is none. */
  readonly body: unknown
}

/** One thing that happened in a session, in order. Events of the service have their own name. */
export interface Happening {
  readonly kind: 'event' | 'connect' | 'connect_error' | 'disconnect' | 'ack'
  /** Name of the event, or of what was acknowledged. */
  readonly name: string
  /** Payload of an event, `data` of a `connect_error`, reason of a `disconnect`, answer of an acknowledgment. */
  readonly payload: unknown
  /** Of an acknowledgment: the number of what was sent, from 1. */
  readonly sent?: number
}

/** One session, from outside. */
export interface SessionRecord {
  readonly namespace: Namespace
  readonly query: Readonly<Record<string, string>>
  readonly happened: readonly Happening[]
  /** Names of what was sent, in order, whether it was acknowledged or not. */
  readonly sent: readonly string[]
  /** Whether the session was ended by us; a `disconnect` after that is not recorded. */
  readonly left: boolean
}

/** Voice lists by what was asked for. */
export interface VoiceReplies {
  readonly all: Reply
  readonly target: Reply
  readonly source: Reply
  readonly block: Reply
  readonly male: Reply
  readonly female: Reply
  readonly neural: Reply
  readonly standard: Reply
  /** Both engines, in either order. */
  readonly both: Reply
  readonly bothTurned: Reply
  /** Every combination of gender, mode and engine for the language. */
  readonly combinations: readonly Reply[]
}

export interface BatchReplies {
  readonly stt: Reply
  /** The mode that speaks. */
  readonly sts: Reply
  /** Something that is no audio. */
  readonly garbage: Reply
}

/** Sessions by what they are to show. */
export interface Sessions {
  readonly stt: SessionRecord
  /** Without `codec`; sends before `start`, and sends what is no audio. */
  readonly hasty: SessionRecord
  readonly translator: SessionRecord
  readonly tts: SessionRecord
  readonly ttsStreaming: SessionRecord
  /** With audio as a stream. */
  readonly ttsStream: SessionRecord
  readonly sts: SessionRecord
  readonly stsStreaming: SessionRecord
  /** With a language that is none. */
  readonly wrongSetup: SessionRecord
  /** Without a key, and with a wrong one, on every namespace. */
  readonly keyless: readonly SessionRecord[]
  readonly wrongKey: readonly SessionRecord[]
}

/** All that was seen of a service. Verdicts look at nothing else. */
export interface Evidence {
  readonly source: string
  readonly target: string
  /** Sent on `/translator`, and on `/tts`. */
  readonly text: string
  readonly speech: string
  readonly languages: Reply
  readonly voices: VoiceReplies
  readonly batch: BatchReplies
  /** Every HTTP operation without a key, and with a wrong one. */
  readonly keyless: readonly Reply[]
  readonly wrongKey: readonly Reply[]
  readonly sessions: Sessions
  /** The beginning of what the URL in `start` served. */
  readonly stream: { readonly status: number; readonly head: Uint8Array } | undefined
}

/** What to conform with: languages, words and a voice that the service ought to understand. */
export interface Probe {
  /** The service's address without a trailing slash. */
  readonly base: string
  readonly apiKey: string
  readonly source: string
  readonly target: string
  /** In the source language. */
  readonly text: string
  /** In the target language. */
  readonly speech: string
  /** 16 kHz mono linear16, in the source language, with a pause behind. */
  readonly pcm: Int16Array
  /** How much faster than speech the audio is sent; 0: as fast as it is acknowledged. */
  readonly pace: number
  /** Longest wait for something that must come (ms). */
  readonly patienceMs: number
  /** Nothing more comes when nothing came for so long (ms). */
  readonly quietMs: number
  readonly clock: Clock
}
