import type { LanguageId } from '../../common/language.ts'

/** One utterance as it was said and translated. Who hears two languages is translated twice: two entries. */
export interface TranscriptEntry {
  readonly utterance: string
  /** The participant's id. */
  readonly speaker: string
  readonly name?: string
  /** The system said it for a program. */
  readonly system?: true
  readonly from: LanguageId
  readonly to: LanguageId
  readonly text: string
  readonly translation: string
  /** From the room's opening. */
  readonly startMs: number
  readonly endMs: number
}

/** What is known of a transcript without reading it. */
export interface TranscriptSummary {
  /** The id of the room's life. */
  readonly id: string
  readonly room: string
  /** ISO 8601. */
  readonly openedAt: string
  /** Absent while the room lives. */
  readonly endedAt?: string
  /** When it will be deleted; absent while the room lives. */
  readonly deletedAt?: string
}

/** What was said in a room during one of its lives, in the order of what was said. */
export interface Transcript extends TranscriptSummary {
  readonly entries: readonly TranscriptEntry[]
  /** Entries that were forgotten, since there were too many. */
  readonly dropped: number
}
