import type { LanguageId } from '../../../../common/language.ts'
import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import { EnergyEndpointer } from '../../wire/energy-endpointer.ts'
import type { LanguageIdentifier } from './language-identifier.ts'
import type { OfflineRecognizer } from './native-package.ts'
import type { ModelStream, RecognitionModel, Recognized } from './recognition-host.ts'
import {
  type SpokenInterval,
  type VoiceDetector,
  type VoiceDetectorPool,
  WindowBuffer,
} from './voice-detector.ts'

export interface UtteranceModelOptions {
  readonly recognizer: OfflineRecognizer
  /** Finds utterances; without it, their level does. */
  readonly detectors?: VoiceDetectorPool | undefined
  readonly identifier?: LanguageIdentifier | undefined
  /** Changes a text of the recognizer. */
  readonly tidy: (text: string) => string
  /** Phrases for a transducer, separated by `/`. */
  readonly hotwords?: string | undefined
  readonly pauseMs: number
  readonly maxUtteranceMs: number
  /** Called when a stream fails outside of `decode`. */
  readonly failed: (stream: ModelStream, error: Error) => void
}

/**
 * A model that recognizes whole utterances, one at a time, on a thread of libuv's pool. The utterances of all streams
 * are recognized in the order in which they end.
 */
export class UtteranceModel implements RecognitionModel {
  readonly #options: UtteranceModelOptions
  /** The first one is being recognized. */
  readonly #line: { stream: UtteranceStream; interval: SpokenInterval }[] = []
  #running = false

  constructor(options: UtteranceModelOptions) {
    this.#options = options
  }

  open(_language: LanguageId, recognized: Recognized): ModelStream {
    const { detectors, pauseMs, maxUtteranceMs } = this.#options
    const stream: UtteranceStream = new UtteranceStream(
      said =>
        detectors
          ? new DetectedUtterances(detectors.acquire(), said)
          : new LoudUtterances({ pauseMs, maxUtteranceMs }, said),
      interval => {
        this.#line.push({ stream, interval })
        void this.#run()
      },
      recognized,
    )
    return stream
  }

  decode(): ReadonlyMap<ModelStream, Error> {
    return new Map()
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    for (let next = this.#line[0]; next; next = this.#line[0]) {
      const { stream, interval } = next
      try {
        if (!stream.closed) await this.#recognize(stream, interval)
      } catch (error) {
        this.#options.failed(stream, error as Error)
      }
      this.#line.shift()
    }
    this.#running = false
  }

  async #recognize(stream: UtteranceStream, { samples, startMs, endMs }: SpokenInterval): Promise<void> {
    const { recognizer, tidy, hotwords, identifier } = this.#options
    stream.begun()
    const native = recognizer.createStream(hotwords)
    native.acceptWaveform({ sampleRate: SAMPLE_RATE, samples })
    const result = await recognizer.decodeAsync(native)
    const text = tidy(result.text)
    // SenseVoice writes `<|en|>`.
    const told = result.lang?.replace(/[^a-z]/gi, '').toLowerCase()
    const heard = text === '' ? undefined : (identifier?.identify(samples) ?? (told || undefined))
    stream.recognized(text, { startMs, endMs, heard })
  }
}

/** Splits a stream into utterances. */
interface Splitter extends Disposable {
  /** Length of the utterance in progress (samples). */
  readonly held: number
  write(pcm: Int16Array): void
  finish(): void
}

class UtteranceStream implements ModelStream {
  readonly #splitter: Splitter
  readonly #recognized: Recognized
  /** Ends and lengths of the utterances that are not recognized yet. */
  readonly #pending: { end: number; length: number }[] = []
  #firstBegun = false
  #closed = false

  constructor(
    split: (said: (interval: SpokenInterval) => void) => Splitter,
    said: (interval: SpokenInterval) => void,
    recognized: Recognized,
  ) {
    this.#recognized = recognized
    this.#splitter = split(interval => {
      this.#pending.push({ end: (interval.endMs * SAMPLE_RATE) / 1000, length: interval.samples.length })
      said(interval)
    })
  }

  get closed(): boolean {
    return this.#closed
  }

  get waiting(): number {
    return this.#pending.reduce((sum, { length }) => sum + length, 0)
  }

  get held(): number {
    return this.#splitter.held
  }

  get dueAt(): number | undefined {
    return this.#pending[this.#firstBegun ? 1 : 0]?.end
  }

  write(pcm: Int16Array): void {
    this.#splitter.write(pcm)
  }

  finish(): void {
    this.#splitter.finish()
  }

  /** The first pending utterance is being recognized. */
  begun(): void {
    this.#firstBegun = true
  }

  /** The first pending utterance has been recognized. */
  recognized(text: string, times: { startMs: number; endMs: number; heard: string | undefined }): void {
    this.#pending.shift()
    this.#firstBegun = false
    if (!this.#closed) this.#recognized('final', { text, ...times })
  }

  [Symbol.dispose](): void {
    this.#closed = true
    this.#splitter[Symbol.dispose]()
  }
}

/** Utterances as a detector finds them. */
class DetectedUtterances implements Splitter {
  readonly #detector: VoiceDetector
  readonly #said: (interval: SpokenInterval) => void
  readonly #windows = new WindowBuffer()

  constructor(detector: VoiceDetector, said: (interval: SpokenInterval) => void) {
    this.#detector = detector
    this.#said = said
  }

  get held(): number {
    return this.#detector.held
  }

  write(pcm: Int16Array): void {
    this.#windows.write(pcm, window => {
      const interval = this.#detector.accept(window)
      if (interval) this.#said(interval)
    })
  }

  finish(): void {
    this.#windows.clear()
    const interval = this.#detector.finish()
    if (interval) this.#said(interval)
  }

  [Symbol.dispose](): void {
    this.#detector[Symbol.dispose]()
  }
}

/** Utterances by level. */
class LoudUtterances implements Splitter {
  readonly #endpointer: EnergyEndpointer

  constructor(
    options: { pauseMs: number; maxUtteranceMs: number },
    said: (interval: SpokenInterval) => void,
  ) {
    this.#endpointer = new EnergyEndpointer(options, ({ pcm, ...times }) =>
      said({ samples: Float32Array.from(pcm, sample => sample / 32_768), ...times }),
    )
  }

  get held(): number {
    return (this.#endpointer.heldMs * SAMPLE_RATE) / 1000
  }

  write(pcm: Int16Array): void {
    this.#endpointer.write(pcm)
  }

  finish(): void {
    this.#endpointer.finish()
  }

  [Symbol.dispose](): void {
    this.#endpointer.drop()
  }
}
