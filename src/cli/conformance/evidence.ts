import type { Clock } from '../../common/clock.ts'
import type { Namespace } from '../../service/contract.ts'

/** An HTTP response. */
export interface ServerReply {
  /** The request, without the key. */
  readonly asked: string
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown
}

/** An occurrence in a session, in order. Events of the service keep their name. */
export interface Happening {
  readonly kind: 'event' | 'connect' | 'connect_error' | 'disconnect' | 'ack'
  /** Name of the event, or of the acknowledged message. */
  readonly name: string
  /** Payload of an event, `data` of a `connect_error`, reason of a `disconnect`, value of an acknowledgment. */
  readonly payload: unknown
  /** For an acknowledgment: the number of the message, from 1. */
  readonly sent?: number
}

/** A session as observed by the client. */
export interface SessionRecord {
  readonly namespace: Namespace
  readonly query: Readonly<Record<string, string>>
  readonly happened: readonly Happening[]
  /** Names of the messages sent, in order, acknowledged or not. */
  readonly sent: readonly string[]
  /** True if the client ended the session; a later `disconnect` is not recorded. */
  readonly left: boolean
}

/** Voice lists, by query. */
export interface VoiceReplies {
  readonly all: ServerReply
  readonly target: ServerReply
  readonly source: ServerReply
  readonly block: ServerReply
  readonly male: ServerReply
  readonly female: ServerReply
  readonly neural: ServerReply
  readonly standard: ServerReply
  /** Both engines, in either order. */
  readonly both: ServerReply
  readonly bothTurned: ServerReply
  /** All combinations of gender, mode and engine for the language. */
  readonly combinations: readonly ServerReply[]
}

export interface BatchReplies {
  readonly stt: ServerReply
  /** The mode with speech output. */
  readonly sts: ServerReply
  /** Response to a file that is not audio. */
  readonly garbage: ServerReply
}

/** Sessions, by purpose. */
export interface Sessions {
  readonly stt: SessionRecord
  /** Without `codec`; sends before `start`, then sends invalid audio. */
  readonly hasty: SessionRecord
  readonly translator: SessionRecord
  readonly tts: SessionRecord
  readonly ttsStreaming: SessionRecord
  /** With audio as a stream. */
  readonly ttsStream: SessionRecord
  readonly sts: SessionRecord
  readonly stsStreaming: SessionRecord
  /** With an invalid language. */
  readonly wrongSetup: SessionRecord
  /** Without a key on every namespace, and with a wrong key on one. */
  readonly keyless: readonly SessionRecord[]
  readonly wrongKey: readonly SessionRecord[]
}

/** All observations of a service. Verdicts use only these. */
export interface Evidence {
  readonly source: string
  readonly target: string
  /** Texts sent on `/translator` and on `/tts`. */
  readonly text: string
  readonly speech: string
  readonly languages: ServerReply
  readonly voices: VoiceReplies
  readonly batch: BatchReplies
  /** Every HTTP operation without a key, and one with a wrong key. */
  readonly keyless: readonly ServerReply[]
  readonly wrongKey: readonly ServerReply[]
  readonly sessions: Sessions
  /** The first bytes served at the URL in `start`. */
  readonly stream: { readonly status: number; readonly head: Uint8Array } | undefined
}

/** Test input: languages, texts and speech that the service should understand. */
export interface Probe {
  /** Base URL of the service, without a trailing slash. */
  readonly base: string
  /** Path of Socket.IO; undefined: the library's. */
  readonly socketPath?: string | undefined
  readonly apiKey: string
  readonly source: string
  readonly target: string
  /** In the source language. */
  readonly text: string
  /** In the target language. */
  readonly speech: string
  /** 16 kHz mono linear16, in the source language, followed by a pause. */
  readonly pcm: Int16Array
  /** Speed at which audio is sent, as a multiple of real time; 0: as fast as acknowledged. */
  readonly pace: number
  /** Maximum wait for an expected event (ms). */
  readonly patienceMs: number
  /** A session is complete after this time without an event (ms). */
  readonly quietMs: number
  readonly clock: Clock
}
