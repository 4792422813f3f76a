import type { LanguageId } from '../../../common/language.ts'

/** Part of a turn, in one language. */
export interface Line {
  readonly text: string
  /** No further changes are expected. */
  readonly final: boolean
}

/** One turn of a speaker: the original text once, and one translation per language. */
export interface Turn {
  /** Unique among the turns of one channel; later turns have higher numbers. */
  readonly id: number
  /** Participant ID in the room. */
  readonly speaker: string
  readonly name?: string | undefined
  readonly from: LanguageId
  readonly original: Line
  /** In order of arrival. */
  readonly translations: ReadonlyMap<LanguageId, Line>
  /** No changes are expected; another language can still be added. */
  readonly final: boolean
}
