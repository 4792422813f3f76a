import { type Clock, setTimer } from '../../../../common/clock.ts'
import { peak } from '../../../../transcode/level.ts'
import type { InterpretationSink, InterpretedText } from '../engine.ts'

/** Without text and audible speech for this long after the speaker's pause, an utterance is over (ms). */
const SETTLED_MS = 600
/** Pause of the speaker that ends an utterance (ms). */
const PAUSE_MS = 400
/** Length from which an utterance is cut at the next end of a sentence (ms). */
const LONG_MS = 20_000
/** Below this level a piece of speech is silence (of 32 768). */
const SILENT = 60
/** Silent speech kept until sound follows (pieces of usually 200 ms). */
const MOST_SILENT = 10
const CHECK_MS = 100
const SENTENCE_END = /[.?!…。！？]["'”’»)]*\s*$/

export interface ContinuousUtterancesOptions {
  readonly sink: InterpretationSink
  readonly clock: Clock
  /** Time since the speaker was last heard (ms). */
  readonly quietMs: () => number
  /** Results exist for the audio up to `streamMs`. */
  readonly answered: (streamMs: number) => void
}

/**
 * Divides the results of a service without utterances, which translates as the speaker goes on. An utterance begins
 * with the first text or audible speech after a pause, and ends when the speaker pauses and nothing more comes; a long
 * one is cut at the end of a sentence.
 *
 * One instance per stream, used by one connection after the other.
 */
export class ContinuousUtterances {
  readonly #options: ContinuousUtterancesOptions
  #utterance = 0
  #open: { startMs: number; beganAt: number } | undefined
  #text = ''
  #translation = ''
  #endMs = 0
  #lastAt = 0
  /** Silent speech that is passed on only if sound follows. */
  #silent: { readonly pcm: Int16Array; readonly rate: number }[] = []
  #check: Disposable | undefined

  constructor(options: ContinuousUtterancesOptions) {
    this.#options = options
  }

  get busy(): boolean {
    return this.#open !== undefined
  }

  /** More of what was said, as heard up to `streamMs`. Can come before or after its translation. */
  said(delta: string, streamMs: number): void {
    if (delta === '') return
    this.#grow(streamMs, delta.trim() !== '')
    if (!this.#open) return
    this.#text += delta
    this.#partial()
  }

  /** More of the translation, of the audio up to `streamMs`. */
  translated(delta: string, streamMs: number): void {
    if (delta === '') return
    this.#grow(streamMs, delta.trim() !== '')
    if (!this.#open) return
    this.#translation += delta
    this.#partial()
    if (this.#options.clock.now() - this.#open.beganAt > LONG_MS && SENTENCE_END.test(this.#translation))
      this.finish()
  }

  /** More of the translated speech; takes ownership of `pcm`. */
  spoken(pcm: Int16Array, rate: number, streamMs: number): void {
    if (peak(pcm) < SILENT) {
      if (this.#open && this.#silent.length < MOST_SILENT) this.#silent.push({ pcm, rate })
      return
    }
    this.#grow(streamMs, true)
    const { sink } = this.#options
    for (const silence of this.#silent.splice(0)) sink.audio(this.#utterance, silence.pcm, silence.rate)
    sink.audio(this.#utterance, pcm, rate)
  }

  /** Ends the utterance in progress. Idempotent. */
  finish(): void {
    const open = this.#open
    if (!open) return
    this.#check?.[Symbol.dispose]()
    this.#check = undefined
    const result = this.#result(open.startMs)
    this.#open = undefined
    this.#text = ''
    this.#translation = ''
    this.#silent = []
    this.#options.sink.final(result)
  }

  #grow(streamMs: number, tells: boolean): void {
    const { clock, answered } = this.#options
    if (!tells && !this.#open) return
    if (!this.#open) {
      this.#utterance++
      this.#open = { startMs: this.#endMs, beganAt: clock.now() }
      this.#watch()
    }
    this.#lastAt = clock.now()
    this.#endMs = Math.max(this.#endMs, streamMs)
    answered(this.#endMs)
  }

  #partial(): void {
    if (this.#open) this.#options.sink.partial(this.#result(this.#open.startMs))
  }

  #result(startMs: number): InterpretedText {
    return {
      utterance: this.#utterance,
      text: this.#text.trim(),
      translation: this.#translation.trim(),
      startMs: Math.round(startMs),
      endMs: Math.max(Math.round(this.#endMs), Math.round(startMs) + 1),
    }
  }

  #watch(): void {
    const { clock, quietMs } = this.#options
    this.#check = setTimer(clock, CHECK_MS, () => {
      if (quietMs() >= PAUSE_MS && clock.now() - this.#lastAt >= SETTLED_MS) this.finish()
      else this.#watch()
    })
  }
}
