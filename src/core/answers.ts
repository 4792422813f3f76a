import type { ReplayRing } from './replay-ring.ts'
import type { TranslationResult } from './translator.ts'

/** A voice of which nothing came for this long has ended, whether that is said or not (ms). */
const VOICE_WAIT_MS = 10_000

/**
 * How far the service's answers on one connection reach. What a result covers is forgotten only once its voice is
 * complete: a service that dies while it speaks is given those words again.
 */
export class Answers {
  readonly #ring: ReplayRing
  readonly #voiced: boolean
  /** Sequence of the first fragment that this connection carries: where its own time begins. */
  #base = 0
  /** The utterance that is being answered, and the sequence before which it covers everything. */
  #open: { utterance: string; before: number; at: number } | undefined

  /** `voiced`: answers have a voice, whose end is told. */
  constructor(ring: ReplayRing, voiced: boolean) {
    this.#ring = ring
    this.#voiced = voiced
  }

  /** A connection begins: it gets all that is held, and nothing of it is answered. */
  begin(): void {
    this.#base = this.#ring.oldest
    this.#open = undefined
  }

  /** A voice is being awaited, or is on its way. */
  get open(): boolean {
    return this.#open !== undefined
  }

  /** The service answered, at `now` (ms). */
  result({ utterance, final, text, translation, audio, endMs }: TranslationResult, now: number): void {
    if (this.#open?.utterance === utterance) {
      // Whatever comes of it shows that it goes on: most pieces of a voice carry no text.
      this.#open.at = now
      return
    }
    if (!final || (text === undefined && translation === undefined && audio === undefined)) return
    this.complete()
    const told =
      endMs === undefined ? undefined : this.#ring.afterSpeech(this.#base + endMs / this.#ring.fragmentMs)
    // Nobody has answered what was not sent: such a time is wrong, and no time is better.
    const before = told === undefined || told > this.#ring.unsent ? this.#ring.latestPause() : told
    if (before === undefined) return
    this.#open = { utterance, before, at: now }
    if (!this.#voiced) this.complete()
  }

  /** The voice is complete, or there is none: of this utterance, or of whichever is open. */
  complete(utterance?: string): void {
    if (utterance !== undefined && this.#open && this.#open.utterance !== utterance) return
    if (this.#open) this.#ring.discharge(this.#open.before)
    this.#open = undefined
  }

  /** Whether a voice was given up at `now`: nothing came of it for too long. */
  gaveUp(now: number): boolean {
    if (!this.#open || now - this.#open.at <= VOICE_WAIT_MS) return false
    this.complete()
    return true
  }
}
