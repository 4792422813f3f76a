import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { ParticipantChange, ParticipantState } from '../model/participant-state.ts'

/** Utterances in a row, or the length of speech (ms), after which a participant's language follows. */
const MOST_UTTERANCES = 2
const MOST_MS = 4_000

/** An utterance as the service heard it. */
export interface HeardUtterance {
  /** The detected language. */
  readonly language: LanguageId
  /** Time of the speech (clock ms). */
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Decides when the language of one participant follows what they speak. A single word in another language, or one that
 * was mistaken for it, changes nothing: it takes two utterances in a row, or four seconds. Only languages of the list are
 * followed.
 */
export class LanguageFollower {
  readonly #languages: readonly LanguageId[]
  #candidate: LanguageId | undefined
  #utterances = 0
  #spokenMs = 0
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(languages: readonly LanguageId[]) {
    this.#languages = languages
  }

  /**
   * Returns the change that an utterance causes, if any. Utterances that several interpretations report are counted
   * once. A participant who hears their own language hears the new one from then on.
   */
  heard({ language, fromMs, toMs }: HeardUtterance, state: ParticipantState): ParticipantChange | undefined {
    if (!state.speaks || toMs <= this.#lastMs) return undefined
    this.#lastMs = toMs
    const known = sameLanguage(language, state.speaks)
      ? undefined
      : this.#languages.find(each => sameLanguage(each, language))
    if (!known || known !== this.#candidate) this.#forget()
    if (!known) return undefined
    this.#candidate = known
    this.#utterances++
    this.#spokenMs += Math.max(0, toMs - fromMs)
    if (this.#utterances < MOST_UTTERANCES && this.#spokenMs < MOST_MS) return undefined
    this.#forget()
    const both = state.hears !== undefined && sameLanguage(state.hears, state.speaks)
    return { speaks: known, ...(both ? { hears: known } : {}) }
  }

  #forget(): void {
    this.#candidate = undefined
    this.#utterances = 0
    this.#spokenMs = 0
  }
}
