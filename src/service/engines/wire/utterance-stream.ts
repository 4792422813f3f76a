import { type Clock, setTimer } from '../../../common/clock.ts'
import { durationMs } from '../../../transcode/pcm.ts'
import { DueTimes } from '../audio-backlog.ts'
import type { SpeechStream, TranscriptSink } from '../engine.ts'
import { type EndpointerOptions, EnergyEndpointer, type Stretch } from './energy-endpointer.ts'

/** Recognizes one whole utterance; can call `partial` with the text so far. */
export type Understand = (
  pcm: Int16Array,
  partial: (text: string) => void,
  signal: AbortSignal,
) => Promise<string>

/** Time without audio after which the utterance in progress ends (ms). */
const STALL_MS = 800

/** A complete utterance that waits for the engine. */
interface Waiting extends Stretch {
  readonly due: number
}

/** A speech stream for engines that process whole utterances: split by level, recognized one after the other. */
export class UtteranceStream implements SpeechStream {
  readonly #sink: TranscriptSink
  readonly #understand: Understand
  readonly #clock: Clock
  readonly #endpointer: EnergyEndpointer
  readonly #closed = new AbortController()
  readonly #times: DueTimes
  #line: Waiting[] = []
  #utterance = 1
  #stall: Disposable | undefined
  #running: Promise<void> | undefined

  constructor(sink: TranscriptSink, understand: Understand, options: EndpointerOptions, clock: Clock) {
    this.#sink = sink
    this.#understand = understand
    this.#clock = clock
    this.#times = new DueTimes(clock)
    this.#endpointer = new EnergyEndpointer(options, stretch => {
      this.#line.push({ ...stretch, due: Math.max(clock.now(), this.#times.last) })
    })
  }

  get queuedMs(): number {
    return this.waitingMs + this.#endpointer.heldMs
  }

  get waitingMs(): number {
    return this.#line.reduce((sum, { pcm }) => sum + durationMs(pcm.length), 0)
  }

  get behindMs(): number {
    // The engine already has the first, however long that takes; the next one waits for it.
    return this.#times.late(this.#line[1]?.due)
  }

  write(pcm: Int16Array): void {
    if (this.#closed.signal.aborted) return
    this.#times.came(durationMs(pcm.length))
    this.#endpointer.write(pcm)
    this.#wake()
    this.#stall?.[Symbol.dispose]()
    this.#stall = undefined
    if (!this.#endpointer.speaking) return
    this.#stall = setTimer(this.#clock, STALL_MS, () => {
      this.#endpointer.finish()
      this.#wake()
    })
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#stall?.[Symbol.dispose]()
    this.#line = []
    this.#endpointer.drop()
    await this.#running
  }

  #wake(): void {
    if (this.#line.length > 0) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    try {
      // It stays in the queue, and counts as waiting, until it is recognized.
      for (let next = this.#line[0]; next; next = this.#line[0]) {
        await this.#take(next)
        this.#line.shift()
      }
    } catch (error) {
      if (!this.#closed.signal.aborted) {
        this.#closed.abort()
        this.#line = []
        this.#endpointer.drop()
        this.#sink.failed(error as Error)
      }
    } finally {
      this.#running = undefined
    }
  }

  async #take({ pcm, startMs, endMs }: Stretch): Promise<void> {
    const utterance = this.#utterance
    const { signal } = this.#closed
    let shown = ''
    const partial = (text: string) => {
      if (signal.aborted || text === '' || text === shown) return
      shown = text
      this.#sink.partial({ utterance, text, startMs, endMs })
    }
    const text = await this.#understand(pcm, partial, signal)
    if (signal.aborted || (text === '' && shown === '')) return
    this.#utterance++
    this.#sink.final({ utterance, text, startMs, endMs })
  }
}
