import type { TranslationResult } from '../../core/translation/translator.ts'
import type { ServiceClientError } from './errors.ts'

/** One `result`, read at the documented paths. */
export interface SessionResult extends TranslationResult {
  readonly kind: 'result'
  /** Unchanged, for fields beyond the interface. */
  readonly payload: unknown
}

/** `endSynth`: the speech of this utterance is complete. */
export interface SpeechComplete {
  readonly kind: 'endSynth'
  readonly utterance: string
}

/** `error` about data; the session continues. */
export interface SessionFault {
  readonly kind: 'error'
  readonly error: ServiceClientError
}

/** All events of a session, in order. */
export type ServiceEvent = SessionResult | SpeechComplete | SessionFault

/** Reason for the end of a session. */
export type SessionEnd =
  /** `finish` was called, and everything was answered. */
  | { readonly kind: 'finished' }
  /** `close` was called. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: ServiceClientError }

/** One whole utterance. */
export interface SessionUtterance {
  readonly utterance: string
  readonly text?: string
  readonly translation?: string
  /** Its whole mp3. */
  readonly audio?: Uint8Array
}
