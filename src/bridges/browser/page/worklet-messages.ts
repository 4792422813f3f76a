/** What the page and its two worklets say to each other. */

export const CAPTURE = 'dragoman-capture'
export const PLAYBACK = 'dragoman-playback'

/** To the one that listens. */
export interface CaptureOrder {
  /** Silence is sent in place of what is heard. */
  readonly muted: boolean
}

/** From it: one message of audio every 20 ms, complete with its header, and how loud it was (RMS, 0 to 1). */
export interface Captured {
  readonly packet: ArrayBuffer
  readonly level: number
}

/** To the one that plays. */
export type PlaybackOrder =
  | { readonly kind: 'audio'; readonly packet: ArrayBuffer }
  | { readonly kind: 'mark'; readonly id: number }
  | { readonly kind: 'flush' }
  /** Another connection: its clock begins anew. */
  | { readonly kind: 'begin' }

/** From it: what was heard of what was marked, and ten times a second how it goes. */
export type Played =
  | { readonly kind: 'heard'; readonly id: number }
  | {
      readonly kind: 'state'
      readonly level: number
      readonly bufferedMs: number
      readonly underruns: number
      readonly skippedMs: number
    }
