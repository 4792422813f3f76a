/**
 * Parses and builds Twilio’s media stream messages (Twilio: Media Streams, WebSocket Messages). No socket, no state.
 * Numbers can be strings or numbers; unknown fields and events are ignored.
 */

export type Track = 'inbound' | 'outbound'

export interface Start {
  readonly kind: 'start'
  readonly streamSid: string
  readonly callSid: string
  /** As received; missing values get Twilio’s defaults. */
  readonly encoding: string
  readonly rate: number
  readonly channels: number
  /** Strings, in an object without prototype. */
  readonly parameters: Readonly<Record<string, string>>
}

/** All possible messages. `streamSid` is empty if the message has none. */
export type Inbound =
  | { readonly kind: 'connected' }
  | Start
  | {
      readonly kind: 'media'
      readonly streamSid: string
      readonly track: Track
      /** Milliseconds since the start of the stream; NaN if absent. */
      readonly timestampMs: number
      /** µ-law in base64, not checked yet. */
      readonly payload: string
    }
  | { readonly kind: 'dtmf'; readonly streamSid: string; readonly digit: string }
  | { readonly kind: 'mark'; readonly streamSid: string; readonly name: string }
  | { readonly kind: 'stop'; readonly streamSid: string }
  /** An event of a later protocol version. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly fault: WireFault }

/** Faults of a message: a closed set, usable as a metric label. */
export type WireFault = 'json' | 'shape' | 'start' | 'media' | 'dtmf' | 'mark'
