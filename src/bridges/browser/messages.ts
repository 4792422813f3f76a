import type { LanguageId } from '../../common/language.ts'

/** Reasons for rejecting a visitor or ending a visit; the page has a message for each. */
export type Refused =
  /** No link, and not on this machine. */
  | 'uninvited'
  /** An unknown, expired or revoked link. */
  | 'link'
  /** A code without a room. */
  | 'code'
  /** Too many wrong codes. */
  | 'guesses'
  /** A language that the service does not support. */
  | 'language'
  | 'full'
  /** The server currently accepts no new calls. */
  | 'busy'
  /** The visit to resume is over. */
  | 'gone'

/** Reasons for the end of a visit. */
export type VisitEnd = 'hung-up' | 'time' | 'replaced' | 'server' | 'failed'

/** A participant of the room. */
export interface PartyView {
  readonly id: string
  readonly channel: string
  readonly name?: string
  readonly speaks?: LanguageId
  readonly hears?: LanguageId
  readonly muted: boolean
  readonly you: boolean
  /** Disconnected, may reconnect. */
  readonly away: boolean
}

/** Current state of the visitor. */
export interface SelfView {
  readonly speaks?: LanguageId
  /** The language they currently hear. */
  readonly hears?: LanguageId
  /** Other participants are in the room. */
  readonly accompanied: boolean
  /** The languages they hear in company and alone. */
  readonly company: LanguageId
  readonly alone: LanguageId
  readonly voice?: string
  readonly original: 'off' | 'low' | 'duck'
  readonly muted: boolean
}

/** All messages to the page, as JSON. */
export type Outbound =
  | {
      readonly kind: 'welcome'
      /** Credentials for resuming the visit after a disconnection. */
      readonly call: string
      readonly secret: string
      readonly resumed: boolean
      /** Remaining time of the visit (ms). */
      readonly endsInMs: number
      /** Address of the room’s captions, for the visitor who created the room. */
      readonly captions?: string
      readonly self: SelfView
      readonly parties: readonly PartyView[]
    }
  | { readonly kind: 'self'; readonly self: SelfView }
  | { readonly kind: 'parties'; readonly parties: readonly PartyView[] }
  | {
      readonly kind: 'caption'
      /** Spoken by the visitor. */
      readonly mine: boolean
      readonly name?: string
      readonly utterance: string
      readonly from: LanguageId
      readonly to: LanguageId
      readonly final: boolean
      readonly text?: string
      readonly translation?: string
    }
  /** A translation starts to play. `ms`: delay between the speaker’s last word and its sending. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Translation is unavailable and originals are played, or it has recovered. */
  | { readonly kind: 'away'; readonly away: boolean }
  /** Requests an echo of `id` once all audio before it has been played. */
  | { readonly kind: 'mark'; readonly id: number }
  /** Discards audio and marks that have not been played. */
  | { readonly kind: 'flush' }
  | { readonly kind: 'pong'; readonly at: number }
  /** Ways for another person to join the room. */
  | {
      readonly kind: 'invited'
      readonly path: string
      /** Public address of this server. */
      readonly publicUrl?: string
      readonly code?: string
      /** Phone numbers that prompt for the code. */
      readonly numbers: readonly string[]
      /** The code also works in a Discord channel. */
      readonly discord?: true
      readonly endsInMs: number
    }
  /** A request failed; the visit continues. */
  | { readonly kind: 'sorry'; readonly what: 'change' | 'invite' }
  | { readonly kind: 'refused'; readonly why: Refused }
  | { readonly kind: 'ended'; readonly why: VisitEnd }
