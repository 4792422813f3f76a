import type { LanguageId } from '../../common/language.ts'
import type { StandInNames } from './latency-stages.ts'

/**
 * What a result of the service says to readers beside its texts. A new field belongs here; `service/client/result-reader.ts`
 * reads it, and `web/captions/page/caption.ts` and `caption-list.ts` show it.
 */
export interface CaptionDetails {
  /** Engines of the service that served instead of preferred ones, if it reports them. */
  readonly standIns?: StandInNames | undefined
}

/** Returns the details of a result. */
export function captionDetails({ standIns }: CaptionDetails): CaptionDetails {
  return { standIns }
}

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
