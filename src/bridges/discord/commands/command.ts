import type { CaptionStyle } from '../channel-interpreter.ts'

/** `/interpret …` as typed: languages and numbers are still unchecked text. */
export type Command =
  | {
      readonly kind: 'start'
      /** Absent: the channel that the user is in. */
      readonly channelId?: string
      readonly captionsOnly: boolean
      readonly roomCode?: string
    }
  | { readonly kind: 'stop' }
  | {
      readonly kind: 'language'
      readonly language: string
      /** A user other than the one asking. */
      readonly userId?: string
      readonly remember: boolean
    }
  | { readonly kind: 'output'; readonly first: string; readonly second?: string }
  | {
      readonly kind: 'captions'
      /** Absent fields stay unchanged. */
      readonly style?: CaptionStyle
      readonly thread?: boolean
    }
  | { readonly kind: 'status' }
  | { readonly kind: 'privacy'; readonly wish: PrivacyWish }
  | { readonly kind: 'dial'; readonly number: string; readonly language: string }
  | { readonly kind: 'invite' }
  /** From an older or newer definition, or with missing or invalid options. */
  | { readonly kind: 'unknown' }

export type PrivacyWish = 'info' | 'opt-out' | 'opt-in' | 'forget'

/** Text in an option with autocompletion. */
export interface Typing {
  readonly purpose: 'speak' | 'hear' | 'hear-or-auto'
  readonly text: string
}
