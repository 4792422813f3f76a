import { type Clock, setTimer, systemClock } from '../../../src/common/clock.ts'
import type { LanguageId } from '../../../src/common/language.ts'
import type { SpeechStream, SpeechToText, TranscriptSink } from '../../../src/service/server/engines/engine.ts'
import { durationMs } from '../../../src/transcode/pcm.ts'

/** Possible faults, one per check of the suite. */
export interface EarFaults {
  readonly language?: string
  readonly takesAnyLanguage?: boolean
  readonly swapsOrder?: boolean
  readonly endsTooLate?: boolean
  readonly waitsForever?: boolean
  readonly keepsBuffer?: boolean
  readonly talksAfterClose?: boolean
  readonly hidesQueue?: boolean
}

const WORDS = ['one', 'two', 'three', 'four']
/** Pause that ends an utterance: 300 ms. */
const PAUSE_SAMPLES = 4_800

/** A recognizer of tones, correct except for `faults`. It has a small delay, like a real one. */
export class EnergyEars implements SpeechToText {
  readonly name = 'energy-ears'
  readonly languages: readonly LanguageId[]
  readonly #faults: EarFaults

  constructor(faults: EarFaults = {}) {
    this.#faults = faults
    this.languages = [faults.language ?? 'en-us']
  }

  async open(language: LanguageId, sink: TranscriptSink): Promise<SpeechStream> {
    if (!this.#faults.takesAnyLanguage && !this.languages.includes(language)) throw new RangeError(language)
    return new EnergyStream(sink, this.#faults, systemClock)
  }

  async close(): Promise<void> {}
}

class EnergyStream implements SpeechStream {
  readonly #sink: TranscriptSink
  readonly #faults: EarFaults
  readonly #clock: Clock
  #queue: Int16Array[] = []
  #timer: Disposable | undefined
  #stall: Disposable | undefined
  #position = 0
  #start = -1
  #loud = 0
  #utterance = 0
  #closed = false

  constructor(sink: TranscriptSink, faults: EarFaults, clock: Clock) {
    this.#sink = sink
    this.#faults = faults
    this.#clock = clock
  }

  get queuedMs(): number {
    return this.#faults.hidesQueue ? 0 : durationMs(this.#queue.reduce((sum, { length }) => sum + length, 0))
  }

  get waitingMs(): number {
    return this.queuedMs
  }

  readonly behindMs = 0

  write(pcm: Int16Array): void {
    if (this.#closed && !this.#faults.talksAfterClose) return
    this.#queue.push(this.#faults.keepsBuffer ? pcm : pcm.slice())
    this.#timer ??= setTimer(this.#clock, 5, () => this.#work())
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#faults.talksAfterClose) return
    this.#queue = []
    this.#timer?.[Symbol.dispose]()
    this.#stall?.[Symbol.dispose]()
  }

  #work(): void {
    this.#timer = undefined
    for (const piece of this.#queue.splice(0)) for (const sample of piece) this.#hear(Math.abs(sample) > 200)
    this.#stall?.[Symbol.dispose]()
    if (this.#start >= 0 && !this.#faults.waitsForever)
      this.#stall = setTimer(this.#clock, 300, () => this.#finish())
  }

  #hear(loud: boolean): void {
    this.#position++
    if (loud) {
      if (this.#start < 0) this.#start = this.#position - 1
      this.#loud = this.#position
    } else if (this.#start >= 0 && this.#position - this.#loud > PAUSE_SAMPLES) this.#finish()
  }

  #finish(): void {
    const { swapsOrder, endsTooLate } = this.#faults
    this.#utterance++
    const text = WORDS[swapsOrder ? 3 - this.#utterance : this.#utterance - 1] ?? ''
    const late = endsTooLate ? 600_000 : 0
    this.#sink.final({
      utterance: this.#utterance,
      text,
      startMs: durationMs(this.#start),
      endMs: durationMs(this.#loud) + late,
    })
    this.#start = -1
  }
}
