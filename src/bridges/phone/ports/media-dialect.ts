/** Encoding of the audio of a stream, mono: G.711, or 16-bit linear PCM with the low or the high byte first. */
export type LineCodec = 'mulaw' | 'alaw' | 'l16' | 'l16be'

/** Format of the audio of a stream, in both directions. */
export interface LineFormat {
  readonly codec: LineCodec
  readonly rate: 8_000 | 16_000
}

/** The format of phone lines. */
export const PHONE_LINE: LineFormat = { codec: 'mulaw', rate: 8_000 }

/**
 * A carrier’s media stream messages, as text or binary frames. No socket, no state: each stream builds its messages
 * with its own `StreamMessages`.
 */
export interface MediaDialect {
  /** The only format accepted in `start`, and that of outgoing audio. */
  readonly format: LineFormat
  /** Frames the carrier sends; a frame of another kind closes the stream. */
  readonly frames: 'text' | 'binary' | 'both'
  /**
   * Queue of the audio that is sent. `carrier`: the carrier plays it at its own pace, and supports marks and clearing.
   * `none`: the carrier plays audio when it arrives; the leg sends it in real time, and marks need no message.
   */
  readonly queue: 'carrier' | 'none'
  /** `kept`: media arrives in order. `any`: it is sorted by `sequence`, or by time, and thereby delayed if it is late. */
  readonly order: 'kept' | 'any'
  /**
   * Parses one message. `data` is valid during the call only, and bytes in the result until the next one. Must not throw.
   */
  parse(data: Buffer, isBinary: boolean): Inbound
  /** Returns the builder of messages to the stream of `start`. */
  messages(start: Start): StreamMessages
}

/**
 * Builds the messages to one stream. A text is sent as a text frame, bytes as a binary frame. Returned bytes must not
 * change later.
 */
export interface StreamMessages {
  /** Plays `audio`, which the next message overwrites. */
  media(audio: Buffer): string | Buffer
  /** Returns silence after which the carrier plays all audio, if it holds back some for later; sent before a mark. */
  padding?(): string | Buffer | undefined
  /** Requests an echo of `name` once all audio before it has been played. Not called without a queue. */
  mark(name: string): string | Buffer
  /** Discards queued audio. Outstanding marks are then echoed at once, or never. Not called without a queue. */
  clear(): string | Buffer
}

export type Track = 'inbound' | 'outbound'

export interface Start {
  readonly kind: 'start'
  /** Empty if the carrier’s streams have no id. */
  readonly streamId: string
  readonly callId: string
  /** A `LineCodec`, or the carrier’s name of another one. */
  readonly codec: string
  readonly rate: number
  readonly channels: number
  /** Strings, in an object without prototype. */
  readonly parameters: Readonly<Record<string, string>>
}

/** All possible messages. `streamId` is empty if the message has none. */
export type Inbound =
  | { readonly kind: 'connected' }
  | Start
  | {
      readonly kind: 'media'
      readonly streamId: string
      readonly track: Track
      /** Milliseconds since the start of the stream; NaN if absent. */
      readonly timestampMs: number
      /** Number of the message in its track, ascending by one; NaN if absent. Used if `order` is `any`. */
      readonly sequence?: number
      /** Audio in base64, not checked yet, or as bytes, which the next message may overwrite. */
      readonly payload: string | Buffer
    }
  | { readonly kind: 'dtmf'; readonly streamId: string; readonly digit: string }
  | { readonly kind: 'mark'; readonly streamId: string; readonly name: string }
  | { readonly kind: 'stop'; readonly streamId: string }
  /** An event of a later protocol version. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly fault: WireFault }

/** Faults of a message: a closed set, usable as a metric label. */
export type WireFault = 'json' | 'shape' | 'start' | 'media' | 'dtmf' | 'mark'
