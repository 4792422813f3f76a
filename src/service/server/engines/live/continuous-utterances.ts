import { type Clock, setTimer } from '../../../../common/clock.ts'
import { peak } from '../../../../transcode/level.ts'
import { durationMs } from '../../../../transcode/pcm.ts'
import type { InterpretationSink, InterpretedText } from '../engine.ts'

/** Without text and audible speech for this long after the speaker's pause, an utterance is over (ms). */
const SETTLED_MS = 600
/** Pause of the speaker that ends an utterance (ms). */
const PAUSE_MS = 400
/** Length from which an utterance is cut at the next end of a sentence (ms). */
const LONG_MS = 20_000
/** Below this level a piece of speech is silence (of 32 768). */
const SILENT = 60
/**
 * Silence passed on after sound (ms). It pushes the last sound through encoders and decoders, which hold some back;
 * more of it would only delay what follows.
 */
const TAIL_MS = 400
/**
 * Speech that is collected before any of it is passed on (ms), because it arrives at the pace at which it is played: a
 * piece that is late would leave a hole.
 */
const LEAD_MS = 300
/** Maximum time for that (ms). */
const LEAD_WITHIN_MS = 400
const CHECK_MS = 100
const SENTENCE_END = /[.?!…。！？]["'”’»)]*\s*$/

/** Speech of one rate (Hz). */
interface Piece {
  readonly pcm: Int16Array
  readonly rate: number
}

export interface ContinuousUtterancesOptions {
  readonly sink: InterpretationSink
  readonly clock: Clock
  /** Time since the speaker was last heard (ms). */
  readonly quietMs: () => number
  /** Results exist for the audio up to `streamMs`. */
  readonly answered: (streamMs: number) => void
}

/**
 * Divides the results of a service without utterances, which translates as the speaker goes on. An utterance starts
 * with the first text or audible speech after a pause, and ends when the speaker pauses and no more arrives; a long
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
  /** The start of the speech, until there is enough of it; undefined once it is passed on. */
  #lead: Piece[] | undefined = []
  #leadMs = 0
  #leadFrom = 0
  /** Sample rate of the speech (Hz), and time of its last piece; 0 before the first. */
  #rate = 0
  #spokeAt = 0
  #tailMs = 0
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
    const ms = durationMs(pcm.length, rate)
    if (peak(pcm) < SILENT) {
      if (this.#open && this.#rate > 0) this.#tail(pcm, rate, ms)
      return
    }
    this.#grow(streamMs, true)
    const { clock } = this.#options
    if (this.#rate === 0) this.#leadFrom = clock.now()
    this.#rate = rate
    this.#spokeAt = clock.now()
    this.#tailMs = 0
    this.#pass({ pcm, rate }, ms)
  }

  /** Ends the utterance in progress. Idempotent. */
  finish(): void {
    const open = this.#open
    if (!open) return
    this.#check?.[Symbol.dispose]()
    this.#check = undefined
    this.#passLead()
    const result = this.#result(open.startMs)
    this.#open = undefined
    this.#text = ''
    this.#translation = ''
    this.#lead = []
    this.#leadMs = 0
    this.#rate = 0
    this.#options.sink.final(result)
  }

  #tail(pcm: Int16Array, rate: number, ms: number): void {
    this.#spokeAt = this.#options.clock.now()
    if (this.#tailMs >= TAIL_MS) return
    this.#tailMs += ms
    this.#pass({ pcm, rate }, ms)
  }

  #pass(piece: Piece, ms: number): void {
    if (!this.#lead) {
      this.#options.sink.audio(this.#utterance, piece.pcm, piece.rate)
      return
    }
    this.#lead.push(piece)
    this.#leadMs += ms
    if (this.#leadMs >= LEAD_MS) this.#passLead()
  }

  #passLead(): void {
    const lead = this.#lead ?? []
    this.#lead = undefined
    for (const { pcm, rate } of lead) this.#options.sink.audio(this.#utterance, pcm, rate)
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
      const now = clock.now()
      if (quietMs() >= PAUSE_MS && now - this.#lastAt >= SETTLED_MS) {
        this.finish()
        return
      }
      if (this.#lead && this.#rate > 0 && now - this.#leadFrom >= LEAD_WITHIN_MS) this.#passLead()
      // A service can send nothing instead of silence.
      if (this.#rate > 0 && now - this.#spokeAt >= 2 * CHECK_MS)
        this.#tail(new Int16Array((this.#rate * CHECK_MS) / 1_000), this.#rate, CHECK_MS)
      this.#watch()
    })
  }
}
