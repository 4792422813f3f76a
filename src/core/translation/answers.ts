import type { ReplayRing } from './replay-ring.ts'
import type { TranslationResult } from './translator.ts'

/** Voice output counts as complete if no audio arrives for this long, even without an end message (ms). */
const VOICE_WAIT_MS = 10_000

/**
 * Tracks how much of the audio sent on one connection is covered by results. Covered audio is released only when the
 * voice of its result is complete: if the connection fails before that, the same audio is sent again.
 */
export class Answers {
  readonly #ring: ReplayRing
  readonly #voiced: boolean
  /** Sequence of the first fragment on this connection, at which the connection's time is 0. */
  #base = 0
  /** The utterance whose voice is arriving. It covers all fragments before the sequence `before`. */
  #open: { utterance: string; before: number; at: number } | undefined

  /** `voiced`: results have a voice, whose end is reported with `complete`. */
  constructor(ring: ReplayRing, voiced: boolean) {
    this.#ring = ring
    this.#voiced = voiced
  }

  /** Resets the tracker for a new connection, on which all held fragments are sent again. */
  begin(): void {
    this.#base = this.#ring.oldest
    this.#open = undefined
  }

  /** True while a voice is expected or arriving. */
  get open(): boolean {
    return this.#open !== undefined
  }

  /** Records a result that arrived at `now` (ms). */
  result({ utterance, final, text, translation, audio, endMs }: TranslationResult, now: number): void {
    if (this.#open?.utterance === utterance) {
      // Any result extends the wait, because most chunks of a voice carry no text.
      this.#open.at = now
      return
    }
    if (!final || (text === undefined && translation === undefined && audio === undefined)) return
    this.complete()
    const told =
      endMs === undefined ? undefined : this.#ring.afterSpeech(this.#base + endMs / this.#ring.fragmentMs)
    // A result cannot cover audio that was not sent: ignore an end time beyond it.
    const before = told === undefined || told > this.#ring.unsent ? this.#ring.latestPause() : told
    if (before === undefined) return
    this.#open = { utterance, before, at: now }
    if (!this.#voiced) this.complete()
  }

  /** Releases the covered audio: the voice of `utterance`, or of the open utterance, is complete or absent. */
  complete(utterance?: string): void {
    if (utterance !== undefined && this.#open && this.#open.utterance !== utterance) return
    if (this.#open) this.#ring.discharge(this.#open.before)
    this.#open = undefined
  }

  /** Completes the open utterance if its voice has timed out at `now` (ms). Returns true if it has. */
  gaveUp(now: number): boolean {
    if (!this.#open || now - this.#open.at <= VOICE_WAIT_MS) return false
    this.complete()
    return true
  }
}
