import type { EngineSocket, SocketAddress, SocketFault, SocketListener } from './engine-socket.ts'

/** The actions of a dialogue on its connection. */
export interface LiveLink {
  send(message: object): void
  /** Sends a copy of `bytes`. */
  sendBinary(bytes: Uint8Array): void
  /** The session is confirmed: audio can be sent. Idempotent. */
  ready(): void
  /** Results have been given for the audio up to `streamMs`: a new connection does not repeat it. */
  answered(streamMs: number): void
  /** The service ends this connection in `ms`: it is replaced in time, in a pause if there is one. */
  renewIn(ms: number): void
  /** Ends this connection. A passing fault causes a new one, any other ends the stream. */
  fail(fault: SocketFault): void
  /** Audio sent on this connection, with inserted silence (ms). */
  readonly sentMs: number
  /** Translates a position of this connection's audio into one of the stream (ms). */
  streamMs(connectionMs: number): number
  /** Time since the speaker was last heard (ms). */
  readonly quietMs: number
  /** Start of the speech since the last pause, in the audio of the stream (ms). */
  readonly speechFromMs: number
}

/** One connection's conversation with a service, in its protocol. */
export interface LiveDialogue {
  /** True while an utterance has partial results but no final one. */
  readonly busy: boolean
  /** The socket is open: requests the session. */
  begin(): void
  /** Handles a message, of any type and content. */
  message(message: unknown): void
  /** Sends audio at the protocol's rate, up to `chunkMs` of it; borrowed. */
  audio(pcm: Int16Array): void
  /** The speaker pauses, or no audio arrives: requests the results of what was sent. */
  pause?(): void
  /** No audio was sent for `keepAliveMs`. */
  keepAlive?(): void
  /** The session is no longer needed. */
  finish?(): void
  /** The connection is over: settles the utterance in progress. Called once. */
  ended(): void
}

/** The address of a connection. */
export interface LiveAddress extends SocketAddress {
  /** For protocols with their own `connect`. */
  readonly token?: string
}

/** Transport of the messages of a connection: an `EngineSocket`, or a provider's own package. */
export type LiveTransport = Pick<EngineSocket, 'send' | 'sendBinary' | 'start' | 'close'>

/** A service's protocol over WebSocket. */
export interface LiveProtocol {
  /** Sample rate that it takes (Hz). */
  readonly rate: number
  /** Length of its audio messages (ms). */
  readonly chunkMs: number
  /** Maximum speed of sending, as a multiple of real time; absent: no limit. */
  readonly fastest?: number
  /** Pause of the speaker after which `pause` is called (ms); absent: the service finds pauses itself. */
  readonly pauseMs?: number
  /** The service needs audio all the time: silence is sent while none arrives. */
  readonly continuous?: boolean
  /** Without audio for this long, `keepAlive` is called (ms). */
  readonly keepAliveMs?: number
  /** Returns the address of the next connection. Rejects with a `SocketFault`. */
  address(signal: AbortSignal): LiveAddress | Promise<LiveAddress>
  /**
   * Connects by other means than an `EngineSocket`. No message is passed to `listener` before `start`. Rejects with a
   * `SocketFault`, also when `signal` aborts.
   */
  connect?(address: LiveAddress, listener: SocketListener, signal: AbortSignal): Promise<LiveTransport>
  /** Classifies the end of a connection by its close code; absent: another attempt may succeed. */
  closedWith?(code: number): SocketFault
  /** Creates the dialogue of a connection. */
  dialogue(link: LiveLink): LiveDialogue
}
