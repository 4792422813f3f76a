import type { LanguageId } from '../../../common/language.ts'
import type { TranscriptSink } from '../engine.ts'

/** A message of a service about an utterance. */
export interface HeardText {
  readonly text: string
  /** Position in the stream's audio (ms). */
  readonly startMs: number
  readonly endMs: number
  readonly language?: LanguageId | undefined
  /** Length of the start that will not change (characters), of a text that can still change. */
  readonly stable?: number | undefined
  /** Confidence of each word, 0 to 1, of a final text. */
  readonly confidence?: readonly number[] | undefined
}

/**
 * Turns the texts of a service into transcripts: numbered over all connections of a stream, one after the other, each
 * with exactly one final.
 */
export class TranscriptLog {
  readonly #sink: TranscriptSink
  #utterance = 1
  #open: HeardText | undefined
  #endMs = 0

  constructor(sink: TranscriptSink) {
    this.#sink = sink
  }

  /** True while an utterance has partials but no final. */
  get busy(): boolean {
    return this.#open !== undefined
  }

  /** The text of the utterance in progress can still change. */
  partial(heard: HeardText): void {
    if (heard.text === '' && !this.#open) return
    this.#open = this.#placed(heard)
    this.#sink.partial({ utterance: this.#utterance, ...this.#open, stable: heard.stable })
  }

  /** Ends the utterance in progress, if any, with its final text; without text and without partials, there is no event. */
  final(heard: HeardText): void {
    if (heard.text === '' && !this.#open) return
    const placed = this.#placed(heard)
    this.#open = undefined
    this.#endMs = placed.endMs
    this.#sink.final({ utterance: this.#utterance++, ...placed, confidence: heard.confidence })
  }

  /** Takes the utterance in progress back: its audio will be recognized again. */
  retract(): void {
    if (!this.#open) return
    const { startMs, endMs } = this.#open
    this.#open = undefined
    this.#sink.final({ utterance: this.#utterance++, text: '', startMs, endMs })
  }

  #placed({ text, startMs, endMs, language }: HeardText): HeardText {
    const from = Math.max(this.#endMs, Math.round(startMs))
    const to = Math.max(from + 1, Math.round(endMs))
    return { text, startMs: from, endMs: to, language }
  }
}
