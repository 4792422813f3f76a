import type { LanguageId } from '../../common/language.ts'
import type { SpokenPart, VoiceEntry } from '../contract.ts'

/** The kinds of engine; `interpretation` does the work of the other three in one. */
export type EngineKind = 'transcription' | 'translation' | 'synthesis' | 'interpretation'

/** An engine is not installed, or failed. Never contains a speaker's text or audio. */
export class EngineError extends Error {
  readonly kind: EngineKind
  /** Name of the engine, as in `/health`. */
  readonly engine: string

  constructor(kind: EngineKind, engine: string, message: string, options?: { cause?: unknown }) {
    super(`${engine}: ${message}`, options)
    this.name = 'EngineError'
    this.kind = kind
    this.engine = engine
  }
}

/** Figures that only the engine itself knows, since its last report. */
export interface EngineReport {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** Connections that replaced one at its maximum age. */
  readonly renewals?: number | undefined
}

/** Implemented by engines that report their own figures. */
export interface ReportingEngine {
  /** Calls `listener` with every report from now on. Called once, before the engine is used. */
  onReport?(listener: (report: EngineReport) => void): void
}

/** Recognized text of one utterance. */
export interface Transcript {
  /** Counts the utterances of one stream from 1; partials and the final of one utterance share it. */
  readonly utterance: number
  readonly text: string
  /** Start of the utterance in the stream's audio (ms). */
  readonly startMs: number
  /**
   * End of the audio covered by this text: for a final, at or after its last spoken sample and before the first of the
   * next utterance.
   */
  readonly endMs: number
  /** The detected language, from engines that detect it. */
  readonly language?: LanguageId | undefined
  /** Length of the start of a partial that will not change (characters), from engines that know it. */
  readonly stable?: number | undefined
  /** Confidence of each word, 0 to 1, from engines that tell it. */
  readonly confidence?: readonly number[] | undefined
}

/** Receives the transcripts of a stream, in the order of the audio; none after `failed`. */
export interface TranscriptSink {
  /** Unstable: the next one can replace it. */
  partial(transcript: Transcript): void
  /** Stable. An empty text retracts the partials of this utterance. */
  final(transcript: Transcript): void
  /** The stream has failed and must be closed. */
  failed(error: Error): void
}

/** Speech recognition for one speaker. Opened by `SpeechToText.open`; the code that opened it closes it. */
export interface SpeechStream {
  /** Audio accepted but not yet recognized (ms). */
  readonly queuedMs: number
  /** The part of it that waits for the engine (ms), without the audio it collects for an unfinished utterance. */
  readonly waitingMs: number
  /** Delay of the oldest audio that waits for the engine (ms); 0 while it keeps up. */
  readonly behindMs: number
  /** Delay of the oldest recognized speech that is not translated and spoken (ms), from streams that do both. */
  readonly lateMs?: number
  /** Accepts linear16, 16 kHz, mono; copies it. Silently ignored after `close`. */
  write(pcm: Int16Array): void
  /** Drops queued audio and frees the stream's resources. Idempotent; resolves when everything is free. */
  close(): Promise<void>
}

/** A fixed translation. */
export interface GlossaryEntry {
  readonly source: string
  readonly target: string
}

/** Options of a recognition stream. */
export interface HearingOptions {
  /** One of the engine's `grammars`: only its phrases are recognized. */
  readonly grammar?: string | undefined
  /** Names and terms to expect, for engines with `takesTerms`. */
  readonly terms?: readonly string[] | undefined
  /** Topic of the conversation. */
  readonly about?: string | undefined
}

/** A speech recognition engine. */
export interface SpeechToText extends ReportingEngine {
  readonly name: string
  /** Supported languages. */
  readonly languages: readonly LanguageId[]
  /** Names of its closed vocabularies; absent: none. */
  readonly grammars?: readonly string[]
  /** True if it uses the `terms` of a stream, or has them in its settings. */
  readonly takesTerms?: boolean
  /**
   * Resolves when the stream accepts audio; rejects with an `EngineError` if the engine fails, with a `RangeError` for
   * an unsupported language or grammar.
   */
  open(language: LanguageId, sink: TranscriptSink, options?: HearingOptions): Promise<SpeechStream>
  /** Frees the engine. Streams must be closed before. Idempotent. */
  close(): Promise<void>
}

/** Speech as synthesized: the rate is known at once, the samples follow. */
export interface Speech {
  /** Hz */
  readonly rate: number
  /** Mono linear16 in pieces of any length; the receiver owns each piece. Throws an `EngineError` on failure. */
  readonly pieces: AsyncIterable<Int16Array>
}

/** A speech synthesis engine. */
export interface Synthesizer extends ReportingEngine {
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

/** A text that was translated before. */
export interface TranslatedTurn {
  readonly source: string
  readonly translation: string
}

/** Options of a translation. Engines with `takesGlossary` use the first three. */
export interface TranslationOptions {
  readonly glossary?: readonly GlossaryEntry[] | undefined
  /** Names, which stay unchanged. */
  readonly names?: readonly string[] | undefined
  /** Topic of the conversation. */
  readonly about?: string | undefined
  /** What the same speaker said before, in order, for engines that can use it. */
  readonly context?: readonly TranslatedTurn[] | undefined
}

/** A translation engine. */
export interface TextTranslator extends ReportingEngine {
  readonly name: string
  /** True if it uses the options of `translate`. */
  readonly takesGlossary?: boolean
  /** Target languages for `from`; empty for an unsupported language. */
  targets(from: LanguageId): readonly LanguageId[]
  /** Prepares for a language pair that will be used soon; a failure shows at `translate`. Optional. */
  prepare(from: LanguageId, to: LanguageId): void
  /**
   * Translates one utterance or sentence. Translations of one language pair resolve in the order of the calls. Rejects
   * with an `EngineError`; throws a `RangeError` for a pair that `targets` does not list.
   */
  translate(text: string, from: LanguageId, to: LanguageId, options?: TranslationOptions): Promise<string>
  /** Frees the engine; pending translations reject. Idempotent. */
  close(): Promise<void>
}

/**
 * The state of one utterance in a speech translator. The translation only grows; what was recognized can change until
 * the final result.
 */
export interface InterpretedText {
  /** Counts the utterances of one stream from 1. */
  readonly utterance: number
  /** The recognized text; empty if the engine does not report it, or takes the utterance back. */
  readonly text: string
  readonly translation: string
  /** Position of the utterance in the stream's audio (ms). */
  readonly startMs: number
  readonly endMs: number
  /** The detected language, from engines that detect it. */
  readonly language?: LanguageId | undefined
  /** The part whose speech is complete, from engines that speak in parts. */
  readonly spoken?: SpokenPart | undefined
  /** When the text was recognized and translated (clock ms), from engines that do one after the other. */
  readonly course?: { readonly recognizedAt: number; readonly translatedAt: number } | undefined
}

/**
 * Receives the results of a speech translator: for each utterance any number of `partial` and `audio`, then one
 * `final`; the next one starts after it. None after `failed`.
 */
export interface InterpretationSink {
  partial(result: InterpretedText): void
  /** The next piece of the translated speech: mono linear16 at `rate` Hz. The receiver owns it. */
  audio(utterance: number, pcm: Int16Array, rate: number): void
  final(result: InterpretedText): void
  /** The stream has failed and must be closed. */
  failed(error: Error): void
}

/** Request for a stream of a speech translator. */
export interface InterpretationRequest {
  readonly from: LanguageId
  readonly to: LanguageId
  /** One of the engine's voices; absent: its own choice. */
  readonly voiceId?: string | undefined
  /** Names and terms to expect in `from`, for engines that can use them. */
  readonly terms?: readonly string[] | undefined
  /** Fixed translations, for engines that can use them. */
  readonly glossary?: readonly GlossaryEntry[] | undefined
  /** Topic of the conversation. */
  readonly about?: string | undefined
}

/** An engine that understands, translates and speaks in one (speech to speech). */
export interface SpeechTranslator extends ReportingEngine {
  readonly name: string
  /** Target languages for `from`; empty for an unsupported language. */
  targets(from: LanguageId): readonly LanguageId[]
  /** Voices that can be requested; empty: it sounds as it likes. */
  readonly voices: readonly VoiceEntry[]
  /**
   * Resolves when the stream accepts audio; rejects with an `EngineError` if the engine fails, with a `RangeError` for
   * a pair or voice that it does not list.
   */
  open(request: InterpretationRequest, sink: InterpretationSink): Promise<SpeechStream>
  /** Frees the engine. Streams must be closed before. Idempotent. */
  close(): Promise<void>
}

/**
 * Wraps `pieces` as speech that has started: rejects when the first piece fails, and calls `rate` after that piece. A
 * consumer that stops early ends `pieces`.
 */
export async function primedSpeech(pieces: AsyncGenerator<Int16Array>, rate: () => number): Promise<Speech> {
  const first = await pieces.next()
  return { rate: rate(), pieces: fromFirst(first, pieces) }
}

async function* fromFirst(
  first: IteratorResult<Int16Array, unknown>,
  rest: AsyncGenerator<Int16Array>,
): AsyncGenerator<Int16Array> {
  try {
    if (!first.done) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/**
 * Splits `text` into pieces of at most `most` letters: after a sentence, else after a comma, else at a blank, else
 * anywhere.
 */
export function textPieces(text: string, most: number): string[] {
  const pieces: string[] = []
  let rest = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  while (rest.length > most) {
    const head = rest.slice(0, most + 1)
    const at =
      lastMatch(head, /[.?!…]["'”’»)]*(?=\s)/g) ??
      lastMatch(head, /[,;:](?=\s)/g) ??
      lastMatch(head, /(?=\s)/g) ??
      most
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return rest === '' ? pieces : [...pieces, rest]
}

/** Returns the end of the last match; undefined without a match, or with one only at the start. */
function lastMatch(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end === undefined || end === 0 || end >= text.length ? undefined : end
}
