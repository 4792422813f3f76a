import type { LanguageId } from '../../../../common/language.ts'
import type { ModelFiles } from './model-files.ts'

/** The model of a recognition process. */
export interface RecognitionLoad {
  readonly task: 'transcription'
  readonly model: Pick<ModelFiles, 'kind' | 'files'>
  readonly threads: number
  /** Languages of the settings: a single one is given to models that need it, several are detected. */
  readonly languages: readonly LanguageId[]
  readonly hotwords: readonly string[]
  readonly hotwordsScore: number
  /** Path of the Silero model. */
  readonly vad?: string | undefined
  readonly vadThreshold: number
  /** Whisper model that identifies languages. */
  readonly languageModel?: Pick<ModelFiles, 'files'> | undefined
  readonly pauseMs: number
  readonly maxUtteranceMs: number
}

/** The model of a synthesis process. */
export interface SynthesisLoad {
  readonly task: 'synthesis'
  readonly model: Pick<ModelFiles, 'kind' | 'files'>
  readonly threads: number
}

/** Messages to a model process. The first is `load`. Positions and lengths are in samples at 16 kHz. */
export type ModelRequest =
  | { readonly type: 'load'; readonly load: RecognitionLoad | SynthesisLoad }
  /** Heartbeat request. */
  | { readonly type: 'ask' }
  | { readonly type: 'open'; readonly stream: number; readonly language: LanguageId }
  | { readonly type: 'audio'; readonly stream: number; readonly pcm: Int16Array }
  /** No more audio for now: end the utterance in progress. */
  | { readonly type: 'finish'; readonly stream: number }
  | { readonly type: 'close'; readonly stream: number }
  | {
      readonly type: 'speak'
      readonly speech: number
      /** Spoken one after the other; others can speak between them. */
      readonly texts: readonly string[]
      readonly speaker: number
      readonly speed: number
    }
  | { readonly type: 'stop'; readonly speech: number }

/** A recognized text, from a model process. */
export interface RecognizedMessage {
  readonly type: 'partial' | 'final'
  readonly stream: number
  readonly text: string
  readonly startMs: number
  readonly endMs: number
  /** ISO 639-1 code of the detected language. */
  readonly heard?: string | undefined
}

/** The progress of a stream. */
export interface ProgressMessage {
  readonly type: 'progress'
  readonly stream: number
  /** Audio that has left the queue: recognized, collected or waiting as an utterance. */
  readonly position: number
  /** Length of complete utterances that wait for the model. */
  readonly waiting: number
  /** Length of the unfinished utterance. */
  readonly held: number
  /** Position whose delay is the delay of the stream. */
  readonly dueAt: number
}

/** Messages from a model process. Errors after `ready` contain no text or audio. */
export type ModelReply =
  | { readonly type: 'ready'; readonly sampleRate: number; readonly speakers: number }
  /** The model cannot be loaded; the process ends. */
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'alive' }
  | RecognizedMessage
  | ProgressMessage
  | { readonly type: 'broken'; readonly stream: number; readonly message: string }
  | { readonly type: 'speech'; readonly speech: number; readonly pcm: Int16Array }
  | { readonly type: 'spoken'; readonly speech: number }
  | { readonly type: 'unspoken'; readonly speech: number; readonly message: string }

/** Sends a message to the parent. */
export type Reply = (message: ModelReply) => void
