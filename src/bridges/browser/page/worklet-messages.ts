/** Messages between the page and its two worklets. */

export const CAPTURE = 'dragoman-capture'
export const PLAYBACK = 'dragoman-playback'

/** To the capture worklet. */
export interface CaptureOrder {
  /** Replaces the captured audio with silence. */
  readonly muted: boolean
}

/** From the capture worklet: one audio message every 20 ms, including its header, with its level (RMS, 0 to 1). */
export interface Captured {
  readonly packet: ArrayBuffer
  readonly level: number
}

/** To the playback worklet. */
export type PlaybackOrder =
  | { readonly kind: 'audio'; readonly packet: ArrayBuffer }
  | { readonly kind: 'mark'; readonly id: number }
  | { readonly kind: 'flush' }
  /** New connection: its clock restarts. */
  | { readonly kind: 'begin' }

/** From the playback worklet: marks that were played, and statistics ten times a second. */
export type Played =
  | { readonly kind: 'heard'; readonly id: number }
  | {
      readonly kind: 'state'
      readonly level: number
      readonly bufferedMs: number
      readonly underruns: number
      readonly skippedMs: number
    }
