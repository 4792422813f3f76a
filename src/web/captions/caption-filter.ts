import type { LanguageId } from '../../common/language.ts'
import type { FeedEvent } from './caption-feed.ts'

/** A reader’s selection of captions. */
export interface CaptionFilter {
  /** Only translations into this language. */
  readonly to?: LanguageId | undefined
  /** Only final texts. */
  readonly final?: boolean | undefined
}

export function passes({ to, final }: CaptionFilter, event: FeedEvent): boolean {
  if (event.kind === 'caption')
    return (to === undefined || event.caption.to === to) && (!final || event.caption.final)
  return event.kind !== 'service' || to === undefined || event.to === to
}
