import { type LanguageId, primaryLanguage } from '../../../../common/language.ts'
import { durationMs, SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import type { LanguageIdentifier } from './language-identifier.ts'
import type { OnlineRecognizer, OnlineStream } from './native-package.ts'
import type { ModelStream, RecognitionModel, Recognized } from './recognition-host.ts'
import {
  type SpokenInterval,
  type VoiceDetector,
  type VoiceDetectorPool,
  WINDOW,
  WindowBuffer,
} from './voice-detector.ts'

/** Silence after an utterance, by which the model decodes its end: at least, at most, and in steps of (samples). */
const TAIL = { least: SAMPLE_RATE / 2, most: 2 * SAMPLE_RATE, step: SAMPLE_RATE / 10 }
const SILENCE = new Float32Array(TAIL.step)
/** Audio before the detector reports speech that is decoded too: its delay, and a lead-in (480 ms). */
const HISTORY_WINDOWS = 15
/** Time from the onset of a word to its first token (ms). */
const TOKEN_DELAY_MS = 200

export interface StreamingModelOptions {
  readonly recognizer: OnlineRecognizer
  /** Finds speech; without it, the recognizer's own endpoint rules do. */
  readonly detectors?: VoiceDetectorPool | undefined
  readonly identifier?: LanguageIdentifier | undefined
  /** Changes a text of the recognizer. */
  readonly tidy: (text: string) => string
  /** Pause of the endpoint rule (ms). */
  readonly pauseMs: number
}

/** A model that recognizes while audio arrives. All streams with enough audio are decoded together. */
export class StreamingModel implements RecognitionModel {
  readonly #options: StreamingModelOptions
  readonly #streams = new Set<StreamingStream>()

  constructor(options: StreamingModelOptions) {
    this.#options = options
  }

  open(language: LanguageId, recognized: Recognized): ModelStream {
    const { recognizer, detectors } = this.#options
    const native = recognizer.createStream()
    // Multilingual models know Norwegian as `nb`.
    native.setOption('language', primaryLanguage(language))
    const options = { ...this.#options, native, recognized, closed: () => this.#streams.delete(stream) }
    const stream = detectors ? new GatedStream(options, detectors.acquire()) : new EndpointStream(options)
    this.#streams.add(stream)
    return stream
  }

  decode(): ReadonlyMap<ModelStream, Error> {
    const { recognizer } = this.#options
    const failed = new Map<ModelStream, Error>()
    try {
      for (;;) {
        const ready = Array.from(this.#streams, ({ native }) => native).filter(each =>
          recognizer.isReady(each),
        )
        if (ready.length === 0) break
        recognizer.decodeStreams(ready)
      }
      for (const stream of this.#streams) stream.report()
    } catch (error) {
      for (const stream of this.#streams) failed.set(stream, error as Error)
    }
    return failed
  }
}

interface StreamingStreamOptions extends StreamingModelOptions {
  readonly native: OnlineStream
  readonly recognized: Recognized
  readonly closed: () => void
}

/** The shared part of streams with and without a detector: the text in progress. */
abstract class StreamingStream implements ModelStream {
  readonly native: OnlineStream
  readonly waiting = 0
  readonly dueAt = undefined
  protected readonly options: StreamingStreamOptions
  /** Samples accepted. */
  protected position = 0
  protected shown = ''

  constructor(options: StreamingStreamOptions) {
    this.options = options
    this.native = options.native
  }

  abstract get held(): number
  abstract write(pcm: Int16Array): void
  abstract finish(): void
  /** Sends the text decoded so far, if it is new. */
  abstract report(): void

  [Symbol.dispose](): void {
    this.options.closed()
  }

  protected feed(samples: Float32Array): void {
    this.native.acceptWaveform({ sampleRate: SAMPLE_RATE, samples })
  }

  protected partial(text: string, startMs: number): void {
    const endMs = Math.round(durationMs(this.position))
    if (text === '' || text === this.shown || endMs <= startMs) return
    this.shown = text
    this.options.recognized('partial', { text, startMs, endMs })
  }

  protected final(text: string, startMs: number, endMs: number, heard?: string): void {
    const retract = this.shown !== ''
    this.shown = ''
    if (text !== '' || retract) this.options.recognized('final', { text, startMs, endMs, heard })
  }

  /** Decodes the audio so far and silence after it, until all of the audio is recognized. Returns the fed silence. */
  protected decodeTail(): number {
    const { recognizer } = this.options
    this.decodeReady()
    let fed = 0
    let decoded = false
    while (fed < TAIL.least || (!decoded && fed < TAIL.most)) {
      this.feed(SILENCE)
      fed += TAIL.step
      if (recognizer.isReady(this.native)) decoded = true
      this.decodeReady()
    }
    return fed
  }

  protected decodeReady(): void {
    const { recognizer } = this.options
    while (recognizer.isReady(this.native)) recognizer.decode(this.native)
  }
}

/** Decodes only what a detector reports as speech, so silence costs little and ends utterances after an exact pause. */
class GatedStream extends StreamingStream {
  readonly #detector: VoiceDetector
  readonly #windows = new WindowBuffer()
  /** Windows before the speech. */
  #history: Float32Array[] = []

  constructor(options: StreamingStreamOptions, detector: VoiceDetector) {
    super(options)
    this.#detector = detector
  }

  override get held(): number {
    return this.#detector.held
  }

  override write(pcm: Int16Array): void {
    this.position += pcm.length
    this.#windows.write(pcm, window => {
      const interval = this.#detector.accept(window)
      if (interval || this.#detector.speaking) {
        for (const before of this.#history.splice(0)) this.feed(before)
        this.feed(window)
      } else this.#remember(window)
      if (interval) this.#end(interval)
    })
  }

  override finish(): void {
    this.#windows.clear()
    const interval = this.#detector.finish()
    if (interval) this.#end(interval)
  }

  override report(): void {
    if (!this.#detector.speaking) return
    const { recognizer, tidy } = this.options
    this.partial(tidy(recognizer.getResult(this.native).text), this.#detector.startMs)
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]()
    this.#detector[Symbol.dispose]()
  }

  #remember(window: Float32Array): void {
    const oldest = this.#history.length < HISTORY_WINDOWS ? new Float32Array(WINDOW) : this.#history.shift()!
    oldest.set(window)
    this.#history.push(oldest)
  }

  #end({ samples, startMs, endMs }: SpokenInterval): void {
    const { recognizer, tidy, identifier } = this.options
    this.decodeTail()
    const text = tidy(recognizer.getResult(this.native).text)
    recognizer.reset(this.native)
    this.final(text, startMs, endMs, text === '' ? undefined : identifier?.identify(samples))
  }
}

/** Decodes everything; the recognizer's endpoint rules split it into utterances. */
class EndpointStream extends StreamingStream {
  /** Silence fed in addition to the audio (ms), contained in the recognizer's times. */
  #addedMs = 0
  #startMs = 0
  #endMs = 0
  #lastEndMs = 0

  override get held(): number {
    return this.shown === '' ? 0 : this.position - Math.round((this.#startMs * SAMPLE_RATE) / 1000)
  }

  override write(pcm: Int16Array): void {
    this.position += pcm.length
    this.feed(Float32Array.from(pcm, sample => sample / 32_768))
  }

  override finish(): void {
    const added = durationMs(this.decodeTail())
    this.#end()
    this.#addedMs += added
  }

  override report(): void {
    const text = this.#text()
    if (this.options.recognizer.isEndpoint(this.native)) this.#end()
    else this.partial(text, this.#startMs)
  }

  /** Returns the text so far, and places it in the audio. */
  #text(): string {
    const { recognizer, tidy, pauseMs } = this.options
    const { text, timestamps, start_time: base } = recognizer.getResult(this.native)
    const [first = 0] = timestamps
    const last = timestamps.at(-1) ?? first
    const at = (seconds: number) => Math.round((base + seconds) * 1000 - this.#addedMs)
    const whole = Math.round(durationMs(this.position))
    // The pause has been decoded after the last token, so the next word comes later.
    const end = Math.min(whole, at(last) + pauseMs)
    this.#startMs = Math.max(this.#lastEndMs, Math.min(at(first) - TOKEN_DELAY_MS, whole - 1))
    this.#endMs = Math.max(this.#startMs + 1, end)
    return tidy(text)
  }

  #end(): void {
    const text = this.#text()
    this.options.recognizer.reset(this.native)
    if (text !== '' || this.shown !== '') this.#lastEndMs = this.#endMs
    this.final(text, this.#startMs, this.#endMs)
  }
}
