import type { CaptionStyle } from '../channel-interpreter.ts'

/** `/interpret …` as somebody typed it: languages and numbers are still text that nobody has looked at. */
export type Command =
  | {
      readonly kind: 'start'
      /** Absent: the one the asker is in. */
      readonly channelId?: string
      readonly captionsOnly: boolean
      readonly roomCode?: string
    }
  | { readonly kind: 'stop' }
  | {
      readonly kind: 'language'
      readonly language: string
      /** Somebody else than the asker. */
      readonly userId?: string
      readonly remember: boolean
    }
  | { readonly kind: 'output'; readonly first: string; readonly second?: string }
  | {
      readonly kind: 'captions'
      /** What is absent stays as it is. */
      readonly style?: CaptionStyle
      readonly thread?: boolean
    }
  | { readonly kind: 'status' }
  | { readonly kind: 'privacy'; readonly wish: PrivacyWish }
  | { readonly kind: 'dial'; readonly number: string; readonly language: string }
  | { readonly kind: 'invite' }
  /** One of an older or newer list, or something that is missing or wrong in it. */
  | { readonly kind: 'unknown' }

export type PrivacyWish = 'info' | 'opt-out' | 'opt-in' | 'forget'

/** Text in an option for which choices are asked. */
export interface Typing {
  readonly purpose: 'speak' | 'hear' | 'hear-or-auto'
  readonly text: string
}
