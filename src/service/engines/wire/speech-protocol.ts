import type { LanguageId } from '../../../common/language.ts'
import type { SocketAddress, SocketFault } from './engine-socket.ts'

/** A voice of a service, with the language that it speaks in this utterance. */
export interface SpeakingVoice {
  /** Its name or id at the service. */
  readonly voice: string
  readonly language: LanguageId
}

/** The meaning of a message of a service. Without `id` it concerns the connection. */
export interface SpeechEvent {
  /** The stream; messages of streams that are not known are ignored. */
  readonly id?: string | undefined
  /** The next piece of speech; the receiver owns it. */
  readonly audio?: Int16Array | undefined
  /** The stream, or the connection, has failed. A stream that has failed still needs its `ended`. */
  readonly fault?: SocketFault | undefined
  /** The stream is over: its id and its place are free. */
  readonly ended?: boolean | undefined
}

/**
 * The protocol of a service that speaks several texts at once on one WebSocket: each is a stream with an id. All its
 * messages are JSON.
 */
export interface SpeechProtocol {
  /** Sample rate of the speech (Hz). */
  readonly rate: number
  /** Maximum number of streams on a connection. */
  readonly maxStreams: number
  /** Maximum number of connections. */
  readonly maxConnections: number
  /** Message that keeps an idle connection open, and the interval at which it is needed (ms). */
  readonly keepAlive?: { readonly everyMs: number; readonly message: object }
  /** Returns the address for `voice`. Utterances with the same URL share connections. */
  address(voice: SpeakingVoice): SocketAddress
  /** Returns the messages that open a stream. */
  begin(id: string, voice: SpeakingVoice): readonly object[]
  /** Returns the messages for more text of a stream; `last`: there is no more. The text can be empty then. */
  text(id: string, voice: SpeakingVoice, text: string, last: boolean): readonly object[]
  /** Returns the message that ends a stream before its time. It counts as open until its `ended` arrives. */
  cancel(id: string): object
  /** Reads a message of any type and content; undefined if it does not matter. */
  read(message: unknown): SpeechEvent | undefined
}
