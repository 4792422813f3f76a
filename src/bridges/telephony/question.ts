import type { LanguageId } from '../../common/language.ts'
import type { NoticeName } from '../../core/model/announcer.ts'

/** A question to the caller before admission; `invite` is then called again with the answer. */
export type Question =
  /** Key 1 selects the first of `languages`, and so on; each is offered in its own language. */
  | { readonly ask: 'language'; readonly languages: readonly LanguageId[] }
  /** `wrong`: the previous code was invalid; the caller is notified and asked again. */
  | { readonly ask: 'room-code'; readonly language: LanguageId; readonly wrong?: boolean }

/** The caller’s answers so far. */
export interface Answers {
  readonly language?: LanguageId
  readonly roomCode?: string
}

/** A notice of the announcer. */
export interface SpokenNotice {
  readonly notice: NoticeName
  readonly language: LanguageId
}
