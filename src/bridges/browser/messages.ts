import type { LanguageId } from '../../core/languages.ts'

/** Why somebody is not let in, or is shown out. The page has words for each. */
export type Refused =
  /** No link, and not on this machine. */
  | 'uninvited'
  /** A link that was never made, has expired or was revoked. */
  | 'link'
  /** A code that lets in to no room. */
  | 'code'
  /** Too many wrong codes. */
  | 'guesses'
  /** A language that the service does not have. */
  | 'language'
  | 'full'
  /** No new calls for the moment. */
  | 'busy'
  /** Nobody to come back to: the visit is over. */
  | 'gone'

/** Why a visit is over. */
export type VisitEnd = 'hung-up' | 'time' | 'replaced' | 'server' | 'failed'

/** Somebody in the room. */
export interface PartyView {
  readonly id: string
  readonly channel: string
  readonly name?: string
  readonly speaks?: LanguageId
  readonly hears?: LanguageId
  readonly muted: boolean
  readonly you: boolean
  /** Their line broke, and they may come back. */
  readonly away: boolean
}

/** How the visitor takes part just now. */
export interface SelfView {
  readonly speaks?: LanguageId
  /** What they hear at the moment. */
  readonly hears?: LanguageId
  /** Somebody else is there. */
  readonly accompanied: boolean
  /** What they hear while somebody else is there, and while nobody is. */
  readonly company: LanguageId
  readonly alone: LanguageId
  readonly voice?: string
  readonly original: 'off' | 'low' | 'duck'
  readonly muted: boolean
}

/** Everything that the page is told, as JSON. */
export type Outbound =
  | {
      readonly kind: 'welcome'
      /** With these the same visit goes on after a cut. */
      readonly call: string
      readonly secret: string
      readonly resumed: boolean
      /** How long the visit may last from now on (ms). */
      readonly endsInMs: number
      /** A page with the captions of their room, for whoever opened it. */
      readonly captions?: string
      readonly self: SelfView
      readonly parties: readonly PartyView[]
    }
  | { readonly kind: 'self'; readonly self: SelfView }
  | { readonly kind: 'parties'; readonly parties: readonly PartyView[] }
  | {
      readonly kind: 'caption'
      /** Said by the visitor. */
      readonly mine: boolean
      readonly name?: string
      readonly utterance: string
      readonly from: LanguageId
      readonly to: LanguageId
      readonly final: boolean
      readonly text?: string
      readonly translation?: string
    }
  /** A translation begins to be heard: so long after its speaker's last word it was sent (ms). */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Translation is out of reach, and originals are heard; or it is back. */
  | { readonly kind: 'away'; readonly away: boolean }
  /** Asks for an echo of `id` once all audio before it has been played. */
  | { readonly kind: 'mark'; readonly id: number }
  /** Audio and marks that have not been played are not wanted any more. */
  | { readonly kind: 'flush' }
  | { readonly kind: 'pong'; readonly at: number }
  /** How somebody else gets into the room. */
  | {
      readonly kind: 'invited'
      readonly path: string
      /** Where others reach this server. */
      readonly publicUrl?: string
      readonly code?: string
      /** Telephone numbers at which the code is asked for. */
      readonly numbers: readonly string[]
      /** The code also works in a Discord channel. */
      readonly discord?: true
      readonly endsInMs: number
    }
  /** Something that was asked for is not to be had; the visit goes on. */
  | { readonly kind: 'sorry'; readonly what: 'change' | 'invite' }
  | { readonly kind: 'refused'; readonly why: Refused }
  | { readonly kind: 'ended'; readonly why: VisitEnd }
