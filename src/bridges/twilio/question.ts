import type { NoticeName } from '../../core/announcer.ts'
import type { LanguageId } from '../../core/languages.ts'

/** Something the caller is asked before they are let in; `invite` is then called again with the answer. */
export type Question =
  /** The first of `languages` by the key 1, and so on: each offered in itself. */
  | { readonly ask: 'language'; readonly languages: readonly LanguageId[] }
  /** `wrong`: the code they gave is none; they are told so, and asked again. */
  | { readonly ask: 'room-code'; readonly language: LanguageId; readonly wrong?: boolean }

/** What the caller has answered so far. */
export interface Answers {
  readonly language?: LanguageId
  readonly roomCode?: string
}

/** A notice in the words of the announcer. */
export interface SpokenNotice {
  readonly notice: NoticeName
  readonly language: LanguageId
}
