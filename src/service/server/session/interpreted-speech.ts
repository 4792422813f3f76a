import type { Logger } from '../../../common/log.ts'
import { SAMPLE_RATE } from '../../../transcode/pcm.ts'
import { EVENT, type SpokenPart, type StsResult } from '../../contract.ts'
import {
  EngineError,
  type InterpretationRequest,
  type InterpretedText,
  type Speech,
  type SpeechStream,
} from '../../engines/engine.ts'
import type { CascadeSink } from '../../engines/interpret/cascade.ts'
import { OverBudgetError } from '../../engines/usage/engine-meter.ts'
import type { EngineUsage } from '../../engines/usage/engine-usage.ts'
import { ServiceError } from '../errors.ts'
import type { SpeechEnds } from './audio-intake.ts'
import type { StsParameters } from './parameters.ts'
import type { SessionOutput } from './session.ts'
import type { SpeechWork } from './speech-intake.ts'
import { finish, type SpentTiming, type SpokenOutput } from './voice-output.ts'

/** What a session needs of an engine from speech to speech. */
export interface Interpreter {
  readonly name: string
  open(request: InterpretationRequest, sink: CascadeSink): Promise<SpeechStream>
}

export interface InterpretedSpeechOptions {
  readonly outlet: SessionOutput
  readonly parameters: StsParameters
  /** Engines from speech to speech, in order of preference. */
  readonly interpreters: readonly Interpreter[]
  /** The last of them, if it consists of three engines, which count for themselves. */
  readonly cascade: Interpreter | undefined
  /** Records which engine serves instead of the first one. */
  readonly usage: Pick<EngineUsage, 'replaced' | 'served'>
  /** Delivers the speech; opened and closed here. */
  readonly output: SpokenOutput
  readonly log: Logger
}

/** The speech of `/sts`: interpreted by the first engine that starts, and sent as it is made. */
export class InterpretedSpeech implements SpeechWork {
  readonly #options: InterpretedSpeechOptions
  readonly #results: InterpretedResults
  #stream: SpeechStream | undefined

  constructor(options: InterpretedSpeechOptions) {
    this.#options = options
    this.#results = new InterpretedResults(options)
  }

  get lateMs(): number {
    // Time spent waiting for the client to listen does not count as late.
    return this.#options.output.held ? 0 : (this.#stream?.lateMs ?? 0)
  }

  get utterances(): number {
    return this.#results.utterances
  }

  async open(ends: SpeechEnds): Promise<{ stream: SpeechStream; start: boolean | string }> {
    const { parameters, interpreters, cascade, output, usage, log } = this.#options
    const [preferred] = interpreters
    const { languageIdSource: from, languageIdTarget: to, voiceId } = parameters
    this.#results.ends = ends
    let cause: EngineError | undefined
    for (const engine of interpreters) {
      try {
        this.#stream = await engine.open({ from, to, voiceId }, this.#results)
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        cause = error
        // Logged once, when its budget was reached.
        if (error instanceof OverBudgetError || engine === cascade) continue
        log.warn({ engine: engine.name, kind: error.kind, reason: error.message }, 'engine failed')
        continue
      }
      const why = cause instanceof OverBudgetError ? 'over_budget' : 'failed'
      if (cause) usage.replaced('interpretation', preferred!.name, engine.name, why)
      else if (engine !== cascade) usage.served('interpretation', engine.name)
      return { stream: this.#stream, start: await output.open() }
    }
    throw failure(cause, 'did not start')
  }

  close(): void {
    this.#results.close()
    this.#options.output.close()
  }
}

/** The failure as clients know it: by the engine that has failed. */
function failure(cause: Error | undefined, what: string): ServiceError {
  const hears = cause instanceof EngineError && cause.kind === 'transcription'
  return hears
    ? new ServiceError('transcription_failed', `the recognizer ${what}`, { cause: cause.cause })
    : new ServiceError('interpretation_failed', `the interpretation ${what}`, { cause })
}

function unspoken(utterance: number, cause: unknown): ServiceError {
  return new ServiceError('synthesis_failed', `utterance ${utterance} could not be spoken`, { cause })
}

/** An utterance that is being interpreted. */
interface Current {
  readonly utterance: number
  result: StsResult
  readonly speech: SpeechQueue
  /** Its speech is expected before the first piece of it. */
  speaks: boolean
  /** It is being sent, or waits for the previous one. */
  begun: boolean
  /** The end of the sending of all earlier ones. */
  before: Promise<void>
  /** A partial result waits for earlier utterances. */
  held: boolean
  /** The part whose speech has been sent, and the newest one that the engine told. */
  spoken: SpokenPart | undefined
  told: SpokenPart | undefined
  /** Failures to report with it. */
  faults: ServiceError[]
  spent: SpentTiming | undefined
}

/**
 * Sends the results of a speech translator: growing texts, the speech as synthesized, and the end. Utterances never
 * interleave: while an earlier one is still being sent, the newest text of the next one waits.
 *
 * Every final ends with exactly one `endSynth`, right after its last `result`, also after a failure.
 */
class InterpretedResults implements CascadeSink {
  readonly #options: InterpretedSpeechOptions
  /** Utterances that can still change. */
  readonly #open = new Map<number, Current>()
  /** Utterances that are not sent completely, in order. */
  #unsent: Current[] = []
  #line: Promise<void> = Promise.resolve()
  #closed = false
  /** When the speech arrived. */
  ends: SpeechEnds | undefined
  utterances = 0

  constructor(options: InterpretedSpeechOptions) {
    this.#options = options
  }

  partial(text: InterpretedText): void {
    const current = this.#of(text.utterance)
    current.result = this.#result(text, false, current.spoken)
    current.held = true
    this.#tell(current, text.spoken)
    this.#show(current)
  }

  audio(utterance: number, pcm: Int16Array, rate: number): void {
    const current = this.#of(utterance)
    current.speech.add(pcm, rate)
    // Without partial results, the first result has to be the final one.
    if (this.#options.parameters.partials) this.#begin(current)
  }

  final(text: InterpretedText, speech?: 'follows'): void {
    const current = this.#of(text.utterance)
    current.result = this.#result(text, true, current.spoken)
    current.held = false
    this.#tell(current, text.spoken)
    current.speaks = speech !== undefined
    const { course } = text
    const arrivedAt = course && this.ends?.arrivalOf(text.endMs)
    if (course && arrivedAt !== undefined)
      current.spent = {
        recognitionMs: Math.max(0, course.recognizedAt - arrivedAt),
        translationMs: course.translatedAt - course.recognizedAt,
      }
    this.utterances++
    this.#begin(current)
    if (!speech) this.spoken(text.utterance)
  }

  spoken(utterance: number): void {
    this.#open.get(utterance)?.speech.end()
    this.#open.delete(utterance)
  }

  fault(utterance: number, kind: 'translation' | 'synthesis', cause: unknown): void {
    const current = this.#of(utterance)
    const error =
      kind === 'translation'
        ? new ServiceError('translation_failed', `utterance ${utterance} could not be translated`, { cause })
        : unspoken(utterance, cause)
    if (kind === 'synthesis' && current.speaks) current.speech.fail(error)
    else if (this.#unsent[0] === current) this.#report(error)
    else current.faults.push(error)
  }

  room(utterance: number): Promise<void> | undefined {
    if (this.#unsent.length === 0) return undefined
    const current = this.#open.get(utterance)
    return current?.begun ? current.before : this.#line
  }

  failed(cause: Error): void {
    for (const { speech } of this.#open.values()) speech.end()
    this.#report(failure(cause, 'failed'))
  }

  close(): void {
    this.#closed = true
    for (const { speech } of [...this.#unsent, ...this.#open.values()]) speech.end()
  }

  #of(utterance: number): Current {
    const known = this.#open.get(utterance)
    if (known) return known
    const text = { utterance, text: '', translation: '', startMs: 0, endMs: 0 }
    const current: Current = {
      utterance,
      result: this.#result(text, false, undefined),
      speech: new SpeechQueue(),
      ...{ spoken: undefined, told: undefined },
      ...{ speaks: false, begun: false, held: false, before: this.#line, faults: [], spent: undefined },
    }
    this.#open.set(utterance, current)
    return current
  }

  #report(error: ServiceError): void {
    if (!this.#closed) this.#options.outlet.fault(error)
  }

  /** Results state what has been spoken once all speech before has been sent. */
  #tell(current: Current, spoken: SpokenPart | undefined): void {
    if (!spoken || spoken === current.told) return
    current.told = spoken
    current.speech.afterwards(() => {
      current.spoken = spoken
      current.result = { ...current.result, spoken }
      if (current.result.final) return
      current.held = true
      this.#show(current)
    })
  }

  /** Sends the newest partial result, if it is the turn of its utterance. */
  #show(current: Current): void {
    const { outlet, parameters } = this.#options
    if (!current.held || this.#closed || !parameters.partials) return
    if ((this.#unsent[0] ?? current) !== current) return
    current.held = false
    outlet.emit(EVENT.result, current.result)
  }

  #begin(current: Current): void {
    if (current.begun || this.#closed) return
    current.begun = true
    current.before = this.#line
    this.#unsent.push(current)
    this.#line = this.#line.then(() => this.#send(current))
  }

  async #send(current: Current): Promise<void> {
    const { outlet, output, parameters } = this.#options
    this.#show(current)
    for (const error of current.faults.splice(0)) this.#report(error)
    try {
      if (current.speaks || (await current.speech.begun()))
        await output.say(
          () => current.result,
          () => current.speech.speech(),
          current.spent,
        )
      else if (current.result.text || current.result.translation || parameters.partials)
        finish(outlet, current.result)
    } catch (cause) {
      this.#report(cause instanceof ServiceError ? cause : unspoken(current.utterance, cause))
      finish(outlet, current.result)
    } finally {
      this.#unsent.shift()
      if (this.#unsent.length === 0) for (const next of this.#open.values()) this.#show(next)
    }
  }

  #result(interpreted: InterpretedText, final: boolean, spoken: SpokenPart | undefined): StsResult {
    const { utterance, text, translation, startMs, endMs, language } = interpreted
    const { languageIdSource, languageIdTarget } = this.#options.parameters
    return {
      id: String(utterance),
      final,
      languageIdSource,
      text,
      startMs,
      endMs,
      ...(final && language !== undefined ? { languageIdHeard: language } : {}),
      languageIdTarget,
      ...(translation === '' ? {} : { translation }),
      ...(spoken ? { spoken } : {}),
    }
  }
}

/** Speech that arrives in pieces while it is read. One reader. */
class SpeechQueue {
  /** Pieces, and what to do once all before have been taken and used. */
  #line: (Int16Array | (() => void))[] = []
  /** The reader has used everything, or there was nothing. */
  #idle = true
  #rate = 0
  #ended = false
  #error: Error | undefined
  #wake = () => {}

  /** Calls `task` once the reader has used the pieces so far. */
  afterwards(task: () => void): void {
    if (this.#idle) {
      task()
      return
    }
    this.#line.push(task)
    this.#wake()
  }

  /** The reader gets `error` after the pieces so far. */
  fail(error: Error): void {
    this.#error ??= error
    this.end()
  }

  add(pcm: Int16Array, rate: number): void {
    if (this.#ended) return
    // The rate of an engine does not change within an utterance.
    this.#rate ||= rate
    this.#idle = false
    this.#line.push(pcm)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Resolves at the first piece, or to false if it ended without any. */
  async begun(): Promise<boolean> {
    while (this.#line.length === 0 && !this.#ended) await this.#more()
    return this.#line.length > 0
  }

  /** Resolves at the first piece. Rejects if it failed before. */
  async speech(): Promise<Speech> {
    if (!(await this.begun()) && this.#error) throw this.#error
    return { rate: this.#rate || SAMPLE_RATE, pieces: this.#read() }
  }

  async *#read(): AsyncGenerator<Int16Array> {
    for (;;) {
      const next = this.#line.shift()
      if (next instanceof Int16Array) yield next
      else if (next) next()
      else if (this.#error) throw this.#error
      else if (this.#ended) return
      else {
        this.#idle = true
        await this.#more()
      }
    }
  }

  #more(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
