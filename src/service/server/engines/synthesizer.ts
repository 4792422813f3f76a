import type { VoiceEntry } from '../../contract.ts'

/** Speech as it is made: the rate is known at once, the samples follow. */
export interface Speech {
  /** Hz */
  readonly rate: number
  /** Mono linear16 in pieces of any length; the receiver owns each piece. Throws an `EngineError` on failure. */
  readonly pieces: AsyncIterable<Int16Array>
}

/** A speech synthesis engine. */
export interface Synthesizer {
  readonly name: string
  /** Its voices; the default voice of each language comes first. */
  readonly voices: readonly VoiceEntry[]
  /**
   * Speaks `text` with the voice `voiceId`, an id from `voices` (a `RangeError` otherwise). Aborting `signal` ends the
   * pieces without an error and frees the resources of the utterance.
   */
  speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech>
  /** Frees the engine. Idempotent. */
  close(): Promise<void>
}
