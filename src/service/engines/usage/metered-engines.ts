/** Engines that count their work. Each owns the engine it wraps, and fails with an `OverBudgetError` over its budget. */

import { durationMs } from '../../../transcode/pcm.ts'
import type {
  InterpretationSink,
  Speech,
  SpeechStream,
  SpeechToText,
  SpeechTranslator,
  Synthesizer,
  TextTranslator,
  Transcript,
  TranscriptSink,
} from '../engine.ts'
import { type EngineMeter, OverBudgetError } from './engine-meter.ts'

export function meteredRecognizer(engine: SpeechToText, meter: EngineMeter): SpeechToText {
  engine.onReport?.(report => meter.reported(report))
  return {
    name: meter.engine,
    languages: engine.languages,
    ...(engine.grammars ? { grammars: engine.grammars } : {}),
    open: (language, sink, options) =>
      MeteredStream.open(
        meter,
        error => sink.failed(error),
        stream => engine.open(language, countedTranscripts(sink, stream), options),
      ),
    close: () => engine.close(),
  }
}

function countedTranscripts(sink: TranscriptSink, stream: MeteredStream): TranscriptSink {
  return {
    partial(transcript) {
      if (!stream.live) return
      stream.texted(transcript)
      sink.partial(transcript)
    },
    final(transcript) {
      if (!stream.live) return
      stream.texted(transcript)
      sink.final(transcript)
    },
    failed: error => stream.fail(error),
  }
}

export function meteredInterpreter(engine: SpeechTranslator, meter: EngineMeter): SpeechTranslator {
  engine.onReport?.(report => meter.reported(report))
  return {
    name: meter.engine,
    targets: from => engine.targets(from),
    voices: engine.voices,
    open: (request, sink) =>
      MeteredStream.open(
        meter,
        error => sink.failed(error),
        stream => engine.open(request, countedInterpretation(sink, stream, meter)),
      ),
    close: () => engine.close(),
  }
}

function countedInterpretation(
  sink: InterpretationSink,
  stream: MeteredStream,
  meter: EngineMeter,
): InterpretationSink {
  return {
    partial(result) {
      if (!stream.live) return
      stream.texted({ ...result, text: result.translation })
      sink.partial(result)
    },
    audio(utterance, pcm, rate) {
      if (!stream.live) return
      meter.audio('out', (pcm.length * 1_000) / rate)
      sink.audio(utterance, pcm, rate)
    },
    final(result) {
      if (!stream.live) return
      stream.texted({ ...result, text: result.translation })
      sink.final(result)
    },
    failed: error => stream.fail(error),
  }
}

export function meteredTranslator(engine: TextTranslator, meter: EngineMeter): TextTranslator {
  engine.onReport?.(report => meter.reported(report))
  return {
    name: meter.engine,
    targets: from => engine.targets(from),
    prepare: (from, to) => engine.prepare(from, to),
    translate(text, from, to) {
      // Translations of one pair resolve in the order of the calls, so the call must come before any await.
      const begun = meter.clock.now()
      return counted(meter, () => engine.translate(text, from, to)).then(translation => {
        meter.text(text)
        meter.firstResult(meter.clock.now() - begun)
        meter.ended('ok')
        return translation
      })
    },
    close: () => engine.close(),
  }
}

export function meteredSynthesizer(engine: Synthesizer, meter: EngineMeter): Synthesizer {
  engine.onReport?.(report => meter.reported(report))
  return {
    name: meter.engine,
    voices: engine.voices,
    async speak(text, voiceId, signal) {
      const begun = meter.clock.now()
      const speech = await counted(meter, () => engine.speak(text, voiceId, signal))
      meter.text(text)
      return { rate: speech.rate, pieces: countedPieces(speech, begun, meter) }
    },
    close: () => engine.close(),
  }
}

/** Counts a request that fails. A `RangeError` is a mistake of the caller and does not count. */
async function counted<T>(meter: EngineMeter, ask: () => Promise<T>): Promise<T> {
  meter.assertBudget()
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof RangeError)) meter.ended('failed')
    throw error
  }
}

/** A receiver that stops early has got what it asked for. */
async function* countedPieces(
  { rate, pieces }: Speech,
  begun: number,
  meter: EngineMeter,
): AsyncGenerator<Int16Array> {
  let first = true
  let failed = false
  try {
    for await (const piece of pieces) {
      if (first) meter.firstResult(meter.clock.now() - begun)
      first = false
      meter.audio('out', (piece.length * 1_000) / rate)
      yield piece
    }
  } catch (error) {
    failed = true
    throw error
  } finally {
    meter.flush()
    meter.ended(failed ? 'failed' : 'ok')
  }
}

/** Arrival times of a stream's audio, at steps of 100 ms, for the last minute. */
class Arrivals {
  readonly #at = new Float64Array(600)
  #steps = 0
  #toMs = 0

  /** Records that audio up to `toMs` has arrived at `now`. */
  came(toMs: number, now: number): void {
    this.#toMs = toMs
    for (; this.#steps * 100 < toMs; this.#steps++) this.#at[this.#steps % this.#at.length] = now
  }

  /** Returns when the audio at `ms` arrived, if known. */
  of(ms: number): number | undefined {
    const step = Math.floor(Math.max(0, ms) / 100)
    if (this.#steps === 0 || ms > this.#toMs || step < this.#steps - this.#at.length) return undefined
    return this.#at[Math.min(step, this.#steps - 1) % this.#at.length]
  }
}

/** Counts the audio of a stream, and ends it as failed once the budget is used up. */
class MeteredStream implements SpeechStream {
  readonly #meter: EngineMeter
  readonly #failed: (error: Error) => void
  readonly #connection: Disposable
  readonly #arrivals = new Arrivals()
  #inner: SpeechStream | undefined
  #heardMs = 0
  /** The last utterance with a result. */
  #utterance = 0
  #state: 'open' | 'failed' | 'closed' = 'open'

  private constructor(meter: EngineMeter, failed: (error: Error) => void) {
    this.#meter = meter
    this.#failed = failed
    this.#connection = meter.connected()
  }

  /** Opens the stream of an engine with `open`; `failed` of its sink is called as well over the budget. */
  static async open(
    meter: EngineMeter,
    failed: (error: Error) => void,
    open: (stream: MeteredStream) => Promise<SpeechStream>,
  ): Promise<SpeechStream> {
    meter.assertBudget()
    const stream = new MeteredStream(meter, failed)
    try {
      stream.#inner = await open(stream)
      return stream
    } catch (error) {
      stream.#connection[Symbol.dispose]()
      if (!(error instanceof RangeError)) meter.ended('failed')
      throw error
    }
  }

  /** False after it has failed or was closed: no result follows. */
  get live(): boolean {
    return this.#state === 'open'
  }

  get queuedMs(): number {
    return this.#inner?.queuedMs ?? 0
  }

  get waitingMs(): number {
    return this.#inner?.waitingMs ?? 0
  }

  get behindMs(): number {
    return this.#inner?.behindMs ?? 0
  }

  write(pcm: Int16Array): void {
    if (!this.live) return
    const ms = durationMs(pcm.length)
    this.#heardMs += ms
    this.#arrivals.came(this.#heardMs, this.#meter.clock.now())
    this.#inner?.write(pcm)
    if (!this.#meter.audio('in', ms)) this.fail(new OverBudgetError(this.#meter.kind, this.#meter.engine))
  }

  async close(): Promise<void> {
    this.#end('closed', 'ok')
    await this.#inner?.close()
  }

  /** Records a text: the delay of the first one of an utterance is counted from the arrival of its start. */
  texted({ utterance, text, startMs }: Pick<Transcript, 'utterance' | 'text' | 'startMs'>): void {
    if (utterance <= this.#utterance || text === '') return
    this.#utterance = utterance
    const came = this.#arrivals.of(startMs)
    if (came !== undefined) this.#meter.firstResult(this.#meter.clock.now() - came)
  }

  fail(error: Error): void {
    if (!this.live) return
    this.#end('failed', error instanceof OverBudgetError ? 'over_budget' : 'failed')
    this.#failed(error)
  }

  #end(state: 'failed' | 'closed', outcome: 'ok' | 'failed' | 'over_budget'): void {
    if (this.live) {
      this.#meter.flush()
      this.#meter.ended(outcome)
      this.#connection[Symbol.dispose]()
    }
    this.#state = state
  }
}
