import type { LanguageId } from '../../../../common/language.ts'
import type { EngineError, InterpretationSink } from '../../engine.ts'
import type { MultiplexedSpeech, SpokenUtterance } from '../../wire/multiplexed-speech.ts'
import type { SpeakingVoice } from '../../wire/speech-protocol.ts'

/** The recognized text of an utterance so far, with its place in the stream's audio (ms). */
export interface RecognizedText {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
  readonly language?: LanguageId | undefined
}

export interface UtteranceQueueOptions {
  readonly sink: InterpretationSink
  readonly speech: MultiplexedSpeech
  readonly voice: SpeakingVoice
  /** An utterance cannot be spoken. Called once, and followed by no call of the sink. */
  readonly failed: (error: EngineError) => void
}

/**
 * The utterances of a stream whose translations are spoken by a separate service. The next utterance can be understood
 * while the previous one is still being spoken: its results wait until then.
 *
 * One per stream. The creator closes it.
 */
export class UtteranceQueue {
  readonly #options: UtteranceQueueOptions
  /** Utterances without a final result, in order. */
  #open: TranslatedUtterance[] = []
  #count = 0
  #endMs = 0
  #closed = false

  constructor(options: UtteranceQueueOptions) {
    this.#options = options
  }

  /** Starts the next utterance. Those before must be complete, or be completed. */
  begin(): TranslatedUtterance {
    const { speech, voice, sink } = this.#options
    const utterance = new TranslatedUtterance(++this.#count, {
      sink,
      first: () => !this.#closed && this.#open[0] === utterance,
      /** Utterances follow one another, regardless of the positions that the service reports. */
      place: (startMs, endMs) => {
        const from = Math.max(this.#endMs, Math.round(startMs))
        return { startMs: from, endMs: Math.max(from + 1, Math.round(endMs)) }
      },
      speak: listener => speech.start(voice, listener),
      complete: endMs => {
        this.#endMs = endMs
        this.#open.shift()
        this.#open[0]?.catchUp()
      },
      failed: error => this.#fail(error),
    })
    this.#open.push(utterance)
    return utterance
  }

  /** Ends all speech, without further calls of the sink. Idempotent. */
  close(): void {
    this.#closed = true
    for (const utterance of this.#open.splice(0)) utterance.cancel()
  }

  #fail(error: EngineError): void {
    if (this.#closed) return
    this.close()
    this.#options.failed(error)
  }
}

interface UtteranceOwner {
  readonly sink: InterpretationSink
  /** True once all utterances before it are complete. */
  first(): boolean
  place(startMs: number, endMs: number): { readonly startMs: number; readonly endMs: number }
  speak(listener: Parameters<MultiplexedSpeech['start']>[1]): SpokenUtterance
  /** The final result was given. */
  complete(endMs: number): void
  failed(error: EngineError): void
}

/** One utterance: its text, the translation, and the speech of the translation. */
export class TranslatedUtterance {
  readonly #utterance: number
  readonly #owner: UtteranceOwner
  #heard: RecognizedText = { text: '', startMs: 0, endMs: 0 }
  #translation = ''
  #speech: SpokenUtterance | undefined
  /** Speech that waits for the previous utterance. */
  #waiting: Int16Array[] = []
  #rate = 0
  #spoken = true
  #complete = false
  #changed = false

  constructor(utterance: number, owner: UtteranceOwner) {
    this.#utterance = utterance
    this.#owner = owner
  }

  get translation(): string {
    return this.#translation
  }

  /** Replaces the recognized text. */
  heard(heard: RecognizedText): void {
    this.#heard = heard
    this.#partial()
  }

  /** Adds to the translation, which is spoken at once. */
  translated(text: string, rate: number): void {
    if (text === '' || this.#complete) return
    this.#translation += text
    this.#rate = rate
    this.#partial()
    this.#say(text)
  }

  /** Completes the text. The final result follows when all of it has been spoken. */
  end(): void {
    if (this.#complete) return
    this.#complete = true
    this.#speech?.end()
    this.#finish()
  }

  /** Passes on what has waited for the previous utterance. */
  catchUp(): void {
    if (this.#changed) this.#partial()
    for (const pcm of this.#waiting.splice(0)) this.#owner.sink.audio(this.#utterance, pcm, this.#rate)
    this.#finish()
  }

  cancel(): void {
    this.#complete = true
    this.#speech?.cancel()
  }

  #say(text: string): void {
    try {
      if (!this.#speech) {
        this.#spoken = false
        this.#speech = this.#owner.speak({
          audio: pcm => this.#audio(pcm),
          ended: () => {
            this.#spoken = true
            this.#finish()
          },
          failed: error => this.#owner.failed(error),
        })
      }
      this.#speech.say(text)
    } catch (error) {
      this.#owner.failed(error as EngineError)
    }
  }

  #audio(pcm: Int16Array): void {
    if (!this.#owner.first()) this.#waiting.push(pcm)
    else this.#owner.sink.audio(this.#utterance, pcm, this.#rate)
  }

  #partial(): void {
    if (this.#complete) return
    this.#changed = true
    if (this.#owner.first()) this.#owner.sink.partial(this.#result())
  }

  #finish(): void {
    if (!this.#complete || !this.#spoken || !this.#owner.first()) return
    const result = this.#result()
    this.#owner.sink.final(result)
    this.#owner.complete(result.endMs)
  }

  #result() {
    const { text, startMs, endMs, language } = this.#heard
    return {
      utterance: this.#utterance,
      text,
      translation: this.#translation.trim(),
      ...this.#owner.place(startMs, endMs),
      ...(language === undefined ? {} : { language }),
    }
  }
}
