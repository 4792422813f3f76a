import type {
  InterpretationRequest,
  InterpretationSink,
  SpeechStream,
  SpeechTranslator,
} from '../../../src/service/server/engines/engine.ts'
import { durationMs } from '../../../src/transcode/pcm.ts'
import { TONE_WORDS, ToneEars, type ToneWord } from '../engines/live/tone-ears.ts'
import { sine } from '../transcode/tone.ts'

/** Possible faults, one per check of the suite. */
export interface InterpreterFaults {
  readonly offersSource?: boolean
  readonly takesAnyPair?: boolean
  readonly numbersTwice?: boolean
  readonly speaksAfterEnd?: boolean
  readonly rewrites?: boolean
  readonly misplaces?: boolean
  readonly talksAfterClose?: boolean
}

/** Interprets the words of the tone language, correct except for `faults`. */
export class ToyInterpreter implements SpeechTranslator {
  readonly name = 'toy'
  readonly voices = []
  readonly #faults: InterpreterFaults

  constructor(faults: InterpreterFaults = {}) {
    this.#faults = faults
  }

  targets(from: string): readonly string[] {
    if (from !== 'en-us') return []
    return this.#faults.offersSource ? ['es-es', 'en-us'] : ['es-es']
  }

  async open({ from, to, voiceId }: InterpretationRequest, sink: InterpretationSink): Promise<SpeechStream> {
    if (!this.#faults.takesAnyPair && (!this.targets(from).includes(to) || voiceId !== undefined))
      throw new RangeError(to)
    return new ToyStream(sink, this.#faults)
  }

  async close(): Promise<void> {}
}

class ToyStream implements SpeechStream {
  readonly queuedMs = 0
  readonly waitingMs = 0
  readonly behindMs = 0
  readonly #sink: InterpretationSink
  readonly #faults: InterpreterFaults
  readonly #ears: ToneEars
  #utterance = 0
  #closed = false

  constructor(sink: InterpretationSink, faults: InterpreterFaults) {
    this.#sink = sink
    this.#faults = faults
    this.#ears = new ToneEars(16_000, {
      ended: (word, fromMs, toMs) => this.#interpret(word, fromMs, toMs),
    })
  }

  write(pcm: Int16Array): void {
    if (!this.#closed) this.#ears.write(pcm)
    else if (this.#faults.talksAfterClose) this.#interpret(TONE_WORDS[0], 0, durationMs(pcm.length))
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  #interpret({ word, translation, spokenHz }: ToneWord, fromMs: number, toMs: number): void {
    const { numbersTwice, speaksAfterEnd, rewrites, misplaces } = this.#faults
    if (!numbersTwice || this.#utterance === 0) this.#utterance++
    const utterance = this.#utterance
    const place = misplaces ? { startMs: 0, endMs: toMs } : { startMs: fromMs, endMs: toMs }
    const result = { utterance, text: word, translation, ...place }
    const voice = () => this.#sink.audio(utterance, sine(spokenHz, 100), 16_000)
    this.#sink.partial({ ...result, translation: rewrites ? 'another' : '' })
    if (!speaksAfterEnd) voice()
    this.#sink.final(result)
    if (speaksAfterEnd) voice()
  }
}
