import type { VoiceEntry } from '../../contract.ts'

/** Speech as it is made: the rate is known at once, the samples follow. */
export interface Speech {
  /** Hz */
  readonly rate: number
  /** Mono linear16 in pieces of any length; each piece is the receiver's. Throws an `EngineError` when it fails. */
  readonly pieces: AsyncIterable<Int16Array>
}

/** An engine that speaks. */
export interface Synthesizer {
  readonly name: string
  /** The voices it has, the default voice of each language before the others of that language. */
  readonly voices: readonly VoiceEntry[]
  /**
   * Speaks `text` with the voice `voiceId`, an id out of `voices` (a `RangeError` otherwise).
   * Aborting `signal` ends the pieces without an error and frees what the utterance held.
   */
  speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech>
  /** Frees the engine. Idempotent. */
  close(): Promise<void>
}
