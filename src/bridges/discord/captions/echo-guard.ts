import { type LanguageId, sameLanguage } from '../../../core/languages.ts'
import { likeness } from './likeness.ts'

interface Spoken {
  readonly at: number
  readonly text: string
  readonly language: LanguageId
}

/** What was spoken is remembered for so long: loudspeakers are heard at once, a recogniser takes its time (ms). */
const KEPT_MS = 15_000
const KEPT_MOST = 32
/** Pairs of letters that must agree. A recogniser hears a loudspeaker less well than a person. */
const LIKE = 0.75
/** People say short words again by themselves: fewer letters than this are no echo. */
const LETTERS_LEAST = 12

/**
 * Knows what the system itself has lately spoken in a channel, and tells whether a text is that again: somebody's
 * loudspeaker was heard by their microphone. Pure: time comes with each call.
 */
export class EchoGuard {
  #spoken: Spoken[] = []

  /** `text` begins to be spoken in `language` at `now` (ms). */
  spoke(text: string, language: LanguageId, now: number): void {
    if (text.replace(/[^\p{L}]/gu, '').length < LETTERS_LEAST) return
    this.#spoken = [
      ...this.#spoken.filter(({ at }) => now - at < KEPT_MS),
      { at: now, text, language },
    ].slice(-KEPT_MOST)
  }

  /** Whether `text`, understood in `language` at `now` (ms), is what was spoken. */
  isEcho(text: string, language: LanguageId, now: number): boolean {
    return this.#spoken.some(
      spoken =>
        now - spoken.at < KEPT_MS &&
        sameLanguage(spoken.language, language) &&
        likeness(spoken.text, text) >= LIKE,
    )
  }
}
