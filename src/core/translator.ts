import type { BridgeError, EndReason } from './errors.ts'
import type { LanguageId } from './languages.ts'
import type { ServiceTiming } from './stages.ts'

/** What one connection to the service is for. */
export interface TranslationRequest {
  /** Language spoken, `<language>-<region>`. */
  readonly from: LanguageId
  /** Language wanted. */
  readonly to: LanguageId
  /** `speech`: captions and translated voice (`/sts`). `captions`: the transcript only (`/stt`). */
  readonly want: 'speech' | 'captions'
  /** The voice that speaks it, by its id in the service's own list; absent: the usual one. */
  readonly voice?: string
}

/** The same of a service that has other voices, or may have. */
export function inAnyVoice(request: TranslationRequest): TranslationRequest {
  const { from, to, want, voice } = request
  return voice === undefined ? request : { from, to, want }
}

/** One thing the service said. */
export interface TranslationResult {
  /** The service's own name of the utterance; results of one utterance share it. */
  readonly utterance: string
  /** False while the text may still change. */
  readonly final: boolean
  /** What was said, in the speaker's language. */
  readonly text?: string
  /** The same in the listener's language. */
  readonly translation?: string
  /** mp3, WAV or linear16 that continues what came before in the same utterance. */
  readonly audio?: Uint8Array
  /** Samples per second of linear16 without a header, where the service tells it (Hz); 16 000 where it does not. */
  readonly rate?: number
  /** Milliseconds of this connection's audio up to which a final covers it, when the service says so. */
  readonly endMs?: number
  /** How long the service's stages took, when it says so. */
  readonly timing?: ServiceTiming
}

/** Receives a connection's events, synchronously and in order; nothing after `ended`. */
export interface ConnectionSink {
  /** The service takes audio from now on. */
  ready(): void
  /** Fragment `sequence` was taken (`ok`), or the service says it failed. */
  acked(sequence: number, ok: boolean): void
  result(result: TranslationResult): void
  /** The voice of an utterance is complete: of this one, where the service says of which. */
  endOfSpeech(utterance?: string): void
  /** The service reported an error about data; the connection goes on. */
  fault(error: BridgeError): void
  /** Another connection should take its place, in a pause; within `ms` where it will end by itself then. */
  renew?(ms?: number): void
  /** The connection is gone; `retryable` of a `failed` reason says whether opening another may help. */
  ended(reason: EndReason): void
}

/** One connection to the translation service: made per session and per attempt, used once. */
export interface Connection {
  /** Sends linear16 16 kHz mono bytes. Only between `ready` and `ended`; the bytes must stay as they are until acked. */
  send(fragment: Uint8Array, sequence: number): void
  /** Idempotent. `ended` follows. */
  close(): void
}

/** A translation service, or a stand-in for one. */
export interface Translator {
  /**
   * Opens a connection and returns at once; no event comes before it has returned. Never throws for what the service
   * does: that arrives at `sink.ended`.
   */
  open(request: TranslationRequest, sink: ConnectionSink): Connection
  /** Many connections are being opened: whoever has one holds back what is not urgent. Absent: never. */
  readonly crowded?: boolean
  /** Closes what is still open. */
  close(): Promise<void>
}
