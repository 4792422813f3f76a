import type { BridgeError } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { CaptionDetails } from '../model/caption-details.ts'
import type { ServiceTiming } from '../model/latency-stages.ts'

/** The parameters of one connection to the service. */
export interface TranslationRequest {
  /** Spoken language, `<language>-<region>`. */
  readonly from: LanguageId
  /** Target language. */
  readonly to: LanguageId
  /** `speech`: captions and translated voice (`/sts`). `captions`: the transcript only (`/stt`). */
  readonly want: 'speech' | 'captions'
  /** Voice of the translation: an id in the service's list; absent: the default voice. */
  readonly voice?: string
}

/** Returns the request without its voice, for a service whose voices possibly differ. */
export function inAnyVoice(request: TranslationRequest): TranslationRequest {
  const { from, to, want, voice } = request
  return voice === undefined ? request : { from, to, want }
}

/** One result of the service. */
export interface TranslationResult extends CaptionDetails {
  /** The service's id of the utterance, shared by all its results. */
  readonly utterance: string
  /** False while the text can still change. */
  readonly final: boolean
  /** The transcript, in the speaker's language. */
  readonly text?: string
  /** The translation, in the listener's language. */
  readonly translation?: string
  /** mp3, WAV or linear16 that continues the previous audio of the same utterance. */
  readonly audio?: Uint8Array
  /** Sample rate of linear16 without a header, if the service states it (Hz); default 16 000. */
  readonly rate?: number
  /** Position in this connection's audio up to which a final covers it, if the service states it (ms). */
  readonly endMs?: number
  /** Duration of the service's stages, if reported. */
  readonly timing?: ServiceTiming
  /** The detected language, if the service detects it. */
  readonly language?: LanguageId
  /**
   * The part whose translation and speech have been sent, if the service speaks in parts: its end in this connection's audio
   * (ms), its length in both texts (characters), and the end of the part whose speech is being sent (ms).
   */
  readonly spoken?: {
    readonly endMs: number
    readonly text: number
    readonly translation: number
    readonly speakingMs?: number | undefined
  }
}

/** Sends a speaker's audio to the service. */
export interface AudioSender {
  /**
   * Sends linear16 16 kHz mono bytes, whole frames of 20 ms. Only between `ready` and `ended`. The bytes are valid only
   * during the call: copy what is sent later.
   */
  send(fragment: Uint8Array, sequence: number): void
}

/**
 * Receives a connection's events, synchronously and in order; no event follows `ended`. Plain functions without `this`: a
 * connection that wraps another one passes on those that it does not change, so that data takes no detour.
 */
export interface ConnectionSink {
  /**
   * The service accepts audio from now on, through `sender`. Default: the connection itself; a connection that wraps
   * another one passes on the innermost sender, so that audio takes no detour. `fallback`: it is one to a fallback service;
   * default false.
   */
  ready(sender?: AudioSender, fallback?: boolean): void
  /** Fragment `sequence` was accepted (`ok`) or reported as failed. */
  acked(sequence: number, ok: boolean): void
  result(result: TranslationResult): void
  /** The audio of an utterance is complete; `utterance` names it if the service does. */
  endOfSpeech(utterance?: string): void
  /** The service reported an error about data; the connection continues. */
  fault(error: BridgeError): void
  /** Another connection should replace this one in a pause, and within `ms` if this one will end by then. */
  renew?(ms?: number): void
  /** The connection ended; `retryable` of a `failed` reason tells if opening another one can help. */
  ended(reason: EndReason): void
}

/** One connection to the translation service: created per session and attempt, used once. */
export interface Connection extends AudioSender {
  /** Idempotent. `ended` follows. */
  close(): void
}

/** A translation service, or several behind one interface. */
export interface Translator {
  /**
   * Opens a connection and returns at once; events follow after it has returned. Never throws for errors of the
   * service: those arrive at `sink.ended`.
   */
  open(request: TranslationRequest, sink: ConnectionSink): Connection
  /** Somebody who may make this request has arrived: finds out whether a service works before it is needed. */
  expect?(request: TranslationRequest): void
  /** True while many connections are being opened: sessions then delay sending that is not urgent. Absent: never. */
  readonly throttled?: boolean
  /** True while no service works, which is reported for all sessions together. Absent: not known. */
  readonly unavailable?: boolean
  /** True while only a fallback service works. Absent: there is none. */
  readonly onFallback?: boolean
  /** Address of the service for logs, without credentials. */
  readonly address?: string | undefined
  /** Closes all open connections. */
  close(): Promise<void>
}
