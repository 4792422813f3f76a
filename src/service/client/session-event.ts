import type { TranslationResult } from '../../core/translator.ts'
import type { ServiceFailure } from './service-failure.ts'

/** One `result`, read at the documented places. */
export interface SessionResult extends TranslationResult {
  readonly kind: 'result'
  /** As it came, for what a server sends beyond the interface. */
  readonly payload: unknown
}

/** `endSynth`: the voice of this utterance is complete. */
export interface SpeechComplete {
  readonly kind: 'endSynth'
  readonly utterance: string
}

/** `error` about data; the session goes on. */
export interface SessionFault {
  readonly kind: 'error'
  readonly error: ServiceFailure
}

/** Everything that a session tells, in order. */
export type SessionEvent = SessionResult | SpeechComplete | SessionFault

/** Why a session ended. */
export type SessionEnd =
  /** `finish` was called, and everything was answered. */
  | { readonly kind: 'finished' }
  /** `close` was called. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: ServiceFailure }

/** One whole utterance. */
export interface SessionUtterance {
  readonly utterance: string
  readonly text?: string
  readonly translation?: string
  /** Its whole mp3. */
  readonly audio?: Uint8Array
}
