import type { LanguageId } from '../../../core/languages.ts'

/** What was understood of one utterance. */
export interface Transcript {
  /** Counts the utterances of one stream from 1; partials and the final of one utterance share it. */
  readonly utterance: number
  readonly text: string
  /** Position in the stream's own audio at which the utterance begins, in milliseconds. */
  readonly startMs: number
  /**
   * Position up to which this covers the audio: for a final at or after its last spoken sample and before the first
   * of the next utterance.
   */
  readonly endMs: number
}

/** Receives what a stream understands, in the order of the audio; nothing after `failed`. */
export interface TranscriptSink {
  /** Unstable: may be taken back by the next one. */
  partial(transcript: Transcript): void
  /** Stable. An empty text takes back the partials of this utterance. */
  final(transcript: Transcript): void
  /** The stream is broken and must be closed. */
  failed(error: Error): void
}

/** One speaker's audio on its way into text. Made by `SpeechToText.open`, closed by whoever opened it. */
export interface SpeechStream {
  /** Milliseconds of audio taken but not yet understood. */
  readonly queuedMs: number
  /** Of these, milliseconds that wait for the engine: what it gathers of an utterance that is still going on does not. */
  readonly waitingMs: number
  /** How long the oldest of what waits for the engine should have been understood already (ms); 0 while it keeps up. */
  readonly behindMs: number
  /** Takes linear16, 16 kHz, mono; copies it. Silently ignored after `close`. */
  write(pcm: Int16Array): void
  /** Drops what is queued and gives back what the stream holds. Idempotent; resolves when everything is free. */
  close(): Promise<void>
}

/** How a stream is to be understood. */
export interface HearingOptions {
  /** One of the engine's `grammars`: only what it allows is understood. */
  readonly grammar?: string | undefined
}

/** An engine that understands speech. */
export interface SpeechToText {
  readonly name: string
  /** Languages it understands. */
  readonly languages: readonly LanguageId[]
  /** Names of the closed vocabularies it has; absent: none. */
  readonly grammars?: readonly string[]
  /**
   * Resolves when the stream takes audio; rejects with an `EngineError` when the engine cannot, with a `RangeError` for
   * a language or a grammar it does not name.
   */
  open(language: LanguageId, sink: TranscriptSink, options?: HearingOptions): Promise<SpeechStream>
  /** Frees the engine. Streams must be closed before. Idempotent. */
  close(): Promise<void>
}
