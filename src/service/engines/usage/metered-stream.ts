import { durationMs } from '../../../transcode/pcm.ts'
import type { SpeechStream, Transcript } from '../engine.ts'
import { type EngineMeter, OverBudgetError } from './engine-meter.ts'

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
export class MeteredStream implements SpeechStream {
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
