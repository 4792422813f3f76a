import { type Clock, setTimer } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { durationMs } from '../../../../transcode/pcm.ts'
import { DueTimes } from '../../audio-backlog.ts'
import { EngineError, type SpeechStream, type TranscriptSink } from '../../engine.ts'
import { primaryCode } from '../../languages.ts'
import type { ModelReply, RecognizedMessage } from './messages.ts'
import type { ModelProcess, ModelUser } from './model-process.ts'

/** Time without audio after which the utterance in progress ends (ms). */
const STALL_MS = 800

export interface SherpaStreamOptions {
  readonly clock: Clock
  readonly language: LanguageId
  /** Languages of the engine, to which the language heard is mapped. */
  readonly languages: readonly LanguageId[]
  /** True if the model only appends to its texts. */
  readonly appends: boolean
}

/** One speaker's stream in a model process. */
export class SherpaStream implements SpeechStream, ModelUser {
  readonly #process: ModelProcess
  readonly #sink: TranscriptSink
  readonly #options: SherpaStreamOptions
  readonly #id: number
  readonly #times: DueTimes
  /** End of each written piece (samples), and when it is due; only pieces not recognized yet. */
  #ends: number[] = []
  #dues: number[] = []
  #written = 0
  #writtenAt = 0
  #position = 0
  #waiting = 0
  #held = 0
  #utterance = 1
  #stall: Disposable | undefined
  #open = true

  constructor(process: ModelProcess, sink: TranscriptSink, options: SherpaStreamOptions) {
    this.#process = process
    this.#sink = sink
    this.#options = options
    this.#times = new DueTimes(options.clock)
    this.#id = process.add(this)
    process.send({ type: 'open', stream: this.#id, language: options.language })
  }

  get queuedMs(): number {
    return this.waitingMs + durationMs(this.#held)
  }

  get waitingMs(): number {
    return durationMs(this.#written - this.#position + this.#waiting)
  }

  get behindMs(): number {
    return this.#times.late(this.#dues[0])
  }

  write(pcm: Int16Array): void {
    if (!this.#open || pcm.length === 0) return
    this.#dues.push(this.#times.came(durationMs(pcm.length), this.#dues.length === 0))
    this.#written += pcm.length
    this.#ends.push(this.#written)
    this.#writtenAt = this.#options.clock.now()
    this.#process.send({ type: 'audio', stream: this.#id, pcm })
    this.#stall ??= setTimer(this.#options.clock, STALL_MS, this.#stalled)
  }

  async close(): Promise<void> {
    if (!this.#open) return
    this.#end()
    this.#process.remove(this.#id)
    this.#process.send({ type: 'close', stream: this.#id })
  }

  reply(message: ModelReply): void {
    if (!this.#open) return
    switch (message.type) {
      case 'progress':
        this.#position = message.position
        this.#waiting = message.waiting
        this.#held = message.held
        this.#settle(message.dueAt)
        return
      case 'partial':
      case 'final':
        this.#heard(message)
        return
      case 'broken':
        this.#process.remove(this.#id)
        this.lost(new EngineError('transcription', 'sherpa', message.message))
    }
  }

  lost(error: EngineError): void {
    if (!this.#open) return
    this.#end()
    this.#sink.failed(error)
  }

  #heard({ type, text, startMs, endMs, heard }: RecognizedMessage): void {
    const language = heard === undefined ? undefined : this.#languageOf(heard)
    // The last word can still be the start of a longer one.
    const stable =
      type === 'partial' && this.#options.appends ? Math.max(0, text.lastIndexOf(' ')) : undefined
    const transcript = { utterance: this.#utterance, text, startMs, endMs, language, stable }
    if (type === 'final') this.#utterance++
    this.#sink[type](transcript)
  }

  /** The language of the stream if it was detected, else the first one of the engine with that code. */
  #languageOf(code: string): LanguageId | undefined {
    const { language, languages } = this.#options
    return [language, ...languages].find(each => primaryCode(each) === code)
  }

  /** Forgets the pieces up to `position`. */
  #settle(position: number): void {
    let done = 0
    while (done < this.#ends.length && this.#ends[done]! <= position) done++
    this.#ends.splice(0, done)
    this.#dues.splice(0, done)
  }

  /** One timer serves all writes: it is set again for the time that the last one left. */
  readonly #stalled = (): void => {
    const { clock } = this.#options
    const left = this.#writtenAt + STALL_MS - clock.now()
    this.#stall = left > 0 ? setTimer(clock, left, this.#stalled) : undefined
    if (left <= 0) this.#process.send({ type: 'finish', stream: this.#id })
  }

  #end(): void {
    this.#open = false
    this.#stall?.[Symbol.dispose]()
    this.#ends = []
    this.#dues = []
    this.#position = this.#written
    this.#waiting = 0
    this.#held = 0
  }
}
