/**
 * The used part of `sherpa-onnx-node`, which has no type declarations. Facts from its sources (1.13): configuration keys
 * in `scripts/node-addon-api`, behavior in `sherpa-onnx/csrc`. Native objects are freed by the garbage collector.
 */
import { createRequire } from 'node:module'

/** Mono samples from -1 to 1. */
interface Waveform {
  readonly sampleRate: number
  readonly samples: Float32Array
}

export interface OnlineStream {
  acceptWaveform(audio: Waveform): void
  /** Multilingual models read `language`; others ignore all options. */
  setOption(key: string, value: string): void
}

export interface OnlineResult {
  readonly text: string
  /** Time of each token in seconds since `start_time`. */
  readonly timestamps: readonly number[]
  /** Position of the stream at the last `reset` (s). */
  readonly start_time: number
}

/** Recognizes while audio arrives. Blocks its thread while it loads and decodes. */
export interface OnlineRecognizer {
  createStream(): OnlineStream
  /** True if there is enough audio for a chunk. */
  isReady(stream: OnlineStream): boolean
  decode(stream: OnlineStream): void
  /** Decodes a chunk of each; all must be ready. */
  decodeStreams(streams: readonly OnlineStream[]): void
  /** True after a pause, as of the audio decoded so far. */
  isEndpoint(stream: OnlineStream): boolean
  /** Starts the next utterance; audio that is not decoded yet stays. */
  reset(stream: OnlineStream): void
  getResult(stream: OnlineStream): OnlineResult
}

export interface OfflineStream {
  acceptWaveform(audio: Waveform): void
}

/** Recognizes whole utterances. */
export interface OfflineRecognizer {
  /** `hotwords`: phrases separated by `/`, only for transducers with beam search. */
  createStream(hotwords?: string): OfflineStream
  /** Decodes on a thread of libuv's pool. */
  decodeAsync(stream: OfflineStream): Promise<OfflineResult>
}

export interface OfflineResult {
  readonly text: string
  /** Detected language: `<|en|>` by SenseVoice, `en` by Whisper, empty by others. */
  readonly lang?: string
}

/** Silero's detector with an input buffer. 16 kHz; one per stream, as it has state. */
export interface Vad {
  acceptWaveform(samples: Float32Array): void
  /** True from the start of speech, with a delay, to the end of the pause after it. */
  isDetected(): boolean
  isEmpty(): boolean
  /** First finished interval of speech, without the pause. `false`: samples in memory of the JavaScript engine. */
  front(external: false): { readonly start: number; readonly samples: Float32Array }
  pop(): void
  /** Finishes the interval in progress. */
  flush(): void
  reset(): void
}

export interface LanguageIdentification {
  createStream(): OfflineStream
  /** Returns an ISO 639-1 code, or an empty string. Blocks its thread. */
  compute(stream: OfflineStream): string
}

export interface OfflineTts {
  readonly sampleRate: number
  readonly numSpeakers: number
  /** Calls `onProgress` for each sentence, on this thread; returning false stops. */
  generateAsync(request: {
    readonly text: string
    readonly sid: number
    readonly speed: number
    readonly enableExternalBuffer: false
    readonly onProgress: (piece: { readonly samples: Float32Array }) => boolean
  }): Promise<unknown>
}

export interface SherpaPackage {
  readonly OnlineRecognizer: new (config: object) => OnlineRecognizer
  readonly OfflineRecognizer: { createAsync(config: object): Promise<OfflineRecognizer> }
  readonly OfflineTts: { createAsync(config: object): Promise<OfflineTts> }
  readonly Vad: new (config: object, bufferSeconds: number) => Vad
  readonly SpokenLanguageIdentification: new (config: object) => LanguageIdentification
}

/** Loads the package with its native library, 32 MB. Only for the child process: an invalid model ends the process. */
export function loadSherpaPackage(): SherpaPackage {
  return createRequire(import.meta.url)('sherpa-onnx-node') as SherpaPackage
}
