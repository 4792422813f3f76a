import type { LanguageId } from '../../../core/languages.ts'

/** Some of a turn, in one language. */
export interface Line {
  readonly text: string
  /** It will not change any more. */
  readonly final: boolean
}

/** What somebody said in one go: their own words once, and a translation for each language wanted. */
export interface Turn {
  /** Unique among the turns of one channel; later turns have higher numbers. */
  readonly id: number
  /** Participant of the room. */
  readonly speaker: string
  readonly name?: string | undefined
  readonly from: LanguageId
  readonly original: Line
  /** In the order in which they came. */
  readonly translations: ReadonlyMap<LanguageId, Line>
  /** Nothing of it is expected to change; another language may still be added. */
  readonly final: boolean
}
