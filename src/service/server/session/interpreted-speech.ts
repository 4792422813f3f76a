import type { Logger } from '../../../common/log.ts'
import { EVENT, type StsResult } from '../../contract.ts'
import {
  EngineError,
  type InterpretationSink,
  type InterpretedText,
  type Speech,
  type SpeechStream,
  type SpeechTranslator,
} from '../../engines/engine.ts'
import { OverBudgetError } from '../../engines/usage/engine-meter.ts'
import type { EngineUsage } from '../../engines/usage/engine-usage.ts'
import { ServiceError } from '../errors.ts'
import type { SpeechEnds } from './audio-intake.ts'
import type { StsParameters } from './parameters.ts'
import type { SessionOutput } from './session.ts'
import type { SpeechWork } from './speech-intake.ts'
import { finish, type SpokenOutput } from './voice-output.ts'

export interface InterpretedSpeechOptions {
  readonly outlet: SessionOutput
  readonly parameters: StsParameters
  /** Engines from speech to speech, in order of preference. */
  readonly interpreters: readonly SpeechTranslator[]
  /** Takes over when none of them starts, with the name for that case. Opened and closed here. */
  readonly otherwise: { readonly work: SpeechWork; readonly name: string } | undefined
  /** Records which engine serves instead of the first one. */
  readonly usage: Pick<EngineUsage, 'replaced' | 'served'>
  /** Delivers the speech; opened and closed here, or by `otherwise`. */
  readonly output: SpokenOutput
  readonly log: Logger
}

/** The speech of `/sts` by one engine, from speech to speech: its translation is audible while the speaker continues. */
export class InterpretedSpeech implements SpeechWork {
  readonly #options: InterpretedSpeechOptions
  readonly #results: InterpretedResults
  #other: SpeechWork | undefined

  constructor(options: InterpretedSpeechOptions) {
    this.#options = options
    this.#results = new InterpretedResults(options)
  }

  get lateMs(): number {
    return this.#other?.lateMs ?? 0
  }

  get utterances(): number {
    return this.#other?.utterances ?? this.#results.utterances
  }

  async open(ends: SpeechEnds): Promise<{ stream: SpeechStream; start: boolean | string }> {
    const { parameters, interpreters, otherwise, output, usage, log } = this.#options
    const [preferred] = interpreters
    const { languageIdSource: from, languageIdTarget: to, voiceId } = parameters
    let cause: EngineError | undefined
    const serves = (name: string) => {
      if (!preferred || !cause) usage.served('interpretation', name)
      else
        usage.replaced(
          'interpretation',
          preferred.name,
          name,
          cause instanceof OverBudgetError ? 'over_budget' : 'failed',
        )
    }
    for (const engine of interpreters) {
      try {
        const stream = await engine.open({ from, to, voiceId }, this.#results)
        serves(engine.name)
        return { stream, start: await output.open() }
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        cause = error
        // Logged once, when its budget was reached.
        if (error instanceof OverBudgetError) continue
        log.warn({ engine: engine.name, kind: error.kind, reason: error.message }, 'engine failed')
      }
    }
    if (!otherwise)
      throw new ServiceError('interpretation_failed', 'the interpretation did not start', { cause })
    serves(otherwise.name)
    this.#other = otherwise.work
    return this.#other.open(ends)
  }

  close(): void {
    this.#results.close()
    this.#other?.close()
    this.#options.output.close()
  }
}

/** An utterance that is being interpreted. */
interface Current {
  readonly utterance: number
  result: StsResult
  readonly speech: SpeechQueue
  /** It is being sent, or waits for the previous one. */
  begun: boolean
}

/**
 * Sends the results of a speech translator: growing texts, the speech as synthesized, and the end. Utterances never
 * interleave: while an earlier one is still being sent, the texts of the next one wait.
 */
class InterpretedResults implements InterpretationSink {
  readonly #options: InterpretedSpeechOptions
  #current: Current | undefined
  /** Utterances that are not sent completely, in order. */
  #unsent: Current[] = []
  #line: Promise<void> = Promise.resolve()
  #closed = false
  utterances = 0

  constructor(options: InterpretedSpeechOptions) {
    this.#options = options
  }

  partial(text: InterpretedText): void {
    const current = this.#of(text.utterance)
    current.result = this.#result(text, false)
    const { outlet, parameters } = this.#options
    if (!this.#closed && parameters.partials && (this.#unsent[0] ?? current) === current)
      outlet.emit(EVENT.result, current.result)
  }

  audio(utterance: number, pcm: Int16Array, rate: number): void {
    const current = this.#of(utterance)
    current.speech.add(pcm, rate)
    // Without partial results, the first result has to be the final one.
    if (this.#options.parameters.partials) this.#begin(current)
  }

  final(text: InterpretedText): void {
    const current = this.#of(text.utterance)
    current.result = this.#result(text, true)
    current.speech.end()
    this.#current = undefined
    this.utterances++
    this.#begin(current)
  }

  failed(cause: Error): void {
    this.#current?.speech.end()
    if (!this.#closed)
      this.#options.outlet.fault(
        new ServiceError('interpretation_failed', 'the interpretation failed', { cause }),
      )
  }

  close(): void {
    this.#closed = true
    for (const { speech } of this.#unsent) speech.end()
    this.#current?.speech.end()
  }

  #of(utterance: number): Current {
    if (this.#current?.utterance === utterance) return this.#current
    const text = { utterance, text: '', translation: '', startMs: 0, endMs: 0 }
    this.#current = {
      utterance,
      result: this.#result(text, false),
      speech: new SpeechQueue(),
      begun: false,
    }
    return this.#current
  }

  #begin(current: Current): void {
    if (current.begun || this.#closed) return
    current.begun = true
    this.#unsent.push(current)
    this.#line = this.#line.then(() => this.#send(current))
  }

  async #send(current: Current): Promise<void> {
    const { outlet, output } = this.#options
    try {
      if (await current.speech.begun())
        await output.say(
          () => current.result,
          () => current.speech.speech(),
        )
      else if (current.result.translation || this.#options.parameters.partials) finish(outlet, current.result)
    } finally {
      this.#unsent.shift()
    }
  }

  #result(interpreted: InterpretedText, final: boolean): StsResult {
    const { utterance, text, translation, startMs, endMs, language } = interpreted
    const { languageIdSource, languageIdTarget } = this.#options.parameters
    return {
      ...(final && language !== undefined ? { languageIdHeard: language } : {}),
      id: String(utterance),
      final,
      languageIdSource,
      languageIdTarget,
      text,
      startMs,
      endMs,
      ...(translation === '' ? {} : { translation }),
    }
  }
}

/** Speech that arrives in pieces while it is read. One reader. */
class SpeechQueue {
  #pieces: Int16Array[] = []
  #rate = 0
  #ended = false
  #wake = () => {}

  add(pcm: Int16Array, rate: number): void {
    if (this.#ended) return
    // The rate of an engine does not change within an utterance.
    this.#rate ||= rate
    this.#pieces.push(pcm)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Resolves at the first piece, or to false if it ended without any. */
  async begun(): Promise<boolean> {
    while (this.#pieces.length === 0 && !this.#ended) await this.#more()
    return this.#pieces.length > 0
  }

  async speech(): Promise<Speech> {
    return { rate: this.#rate, pieces: this.#read() }
  }

  async *#read(): AsyncGenerator<Int16Array> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece) yield piece
      else if (this.#ended) return
      else await this.#more()
    }
  }

  #more(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
