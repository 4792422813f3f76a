import type { LanguageId } from '../../common/language.ts'
import type { CaptionDetails } from './caption-details.ts'

/** A caption: text of an utterance. A partial can still change; a final is never revised. */
export interface Caption extends CaptionDetails {
  readonly room: string
  readonly speaker: string
  readonly name?: string
  /** A system message; `speaker` is not a participant's id. */
  readonly system?: true
  /** Unique in this process; the partials and the final of an utterance share it. */
  readonly utterance: string
  readonly from: LanguageId
  readonly to: LanguageId
  readonly final: boolean
  readonly text?: string
  readonly translation?: string
  /** The interval of speech that the caption covers, as far as audio levels show it (clock ms). */
  readonly spoken?: { readonly fromMs: number; readonly toMs: number }
}
