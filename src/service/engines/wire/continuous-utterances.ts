import { type Clock, setTimer } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { peak } from '../../../transcode/level.ts'
import { durationMs } from '../../../transcode/pcm.ts'
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
 * Speech that is collected before any of it is passed on (ms), because it arrives at playback speed: a
 * late piece would leave a gap.
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
  /** Results exist for the audio up to `streamMs`. Absent: the owner decides it, and calls `keep`. */
  readonly answered?: (streamMs: number) => void
}

/** Texts and their end in the audio of the stream. */
interface Mark {
  readonly text: string
  readonly translation: string
  readonly endMs: number
}

/**
 * Divides the results of a service without utterances, which translates while the speaker continues. An utterance starts
 * with the first text or audible speech after a pause, and ends when the speaker pauses and no more arrives; a long
 * one is cut at the end of a sentence.
 *
 * One instance per stream, used by one connection after the other.
 */
export class ContinuousUtterances {
  readonly #options: ContinuousUtterancesOptions
  #utterance = 0
  #open: { startMs: number; beganAt: number } | undefined
  #closed = false
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
  #language: LanguageId | undefined
  /** The texts to keep if the rest is interpreted again. */
  #kept: Mark | undefined
  #check: Disposable | undefined

  constructor(options: ContinuousUtterancesOptions) {
    this.#options = options
  }

  get busy(): boolean {
    return this.#open !== undefined
  }

  /** More recognized text, up to `streamMs`. Can arrive before or after its translation. */
  said(delta: string, streamMs: number): void {
    if (delta === '') return
    this.#grow(streamMs, delta.trim() !== '')
    if (!this.#open) return
    this.#text += delta
    this.#partial()
  }

  /** The utterance in progress is in this language. */
  detected(language: LanguageId | undefined): void {
    if (this.#open) this.#language = language ?? this.#language
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
    if (!this.#open) return
    const { clock } = this.#options
    if (this.#rate === 0) this.#leadFrom = clock.now()
    this.#rate = rate
    this.#spokeAt = clock.now()
    this.#tailMs = 0
    this.#pass({ pcm, rate }, ms)
  }

  /** Ends the utterance in progress. Idempotent. */
  finish(): void {
    this.#end()
  }

  /** All that has come so far counts: `cut` keeps it. */
  keep(): void {
    this.#kept = { text: this.#text, translation: this.#translation, endMs: this.#endMs }
  }

  /** Ends the utterance in progress with what counts as answered: the rest is interpreted again. Idempotent. */
  cut(): void {
    if (!this.#open) return
    const { text = '', translation = '', endMs = this.#open.startMs } = this.#kept ?? {}
    this.#text = text
    this.#translation = translation
    this.#endMs = endMs
    this.#end()
  }

  /** Drops the utterance in progress, without further calls of the sink. Idempotent. */
  close(): void {
    this.#check?.[Symbol.dispose]()
    this.#open = undefined
    this.#closed = true
  }

  #end(): void {
    const open = this.#open
    if (!open) return
    this.#check?.[Symbol.dispose]()
    this.#check = undefined
    this.#passLead()
    const result = this.#result(open.startMs)
    this.#endMs = result.endMs
    this.#open = undefined
    this.#text = ''
    this.#translation = ''
    this.#kept = undefined
    this.#language = undefined
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
    if (!tells && !this.#open) return
    const now = this.#options.clock.now()
    if (!this.#open && !this.#closed) {
      this.#utterance++
      this.#open = { startMs: this.#endMs, beganAt: now }
      this.#watch()
    }
    this.#lastAt = now
    this.#endMs = Math.max(this.#endMs, streamMs)
    this.#options.answered?.(this.#endMs)
  }

  /** True while more of the utterance is expected, or someone speaks. */
  #growing(now: number): boolean {
    return this.#options.quietMs() < PAUSE_MS || now - this.#lastAt < SETTLED_MS
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
      language: this.#language,
    }
  }

  #watch(): void {
    const { clock } = this.#options
    this.#check = setTimer(clock, CHECK_MS, () => {
      const now = clock.now()
      if (!this.#growing(now)) {
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
