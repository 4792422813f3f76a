import { type Clock, setTimer } from '../../../common/clock.ts'
import { EngineSocket, type SocketAddress, SocketFault } from './engine-socket.ts'
import type { SpeakingVoice, SpeechProtocol } from './speech-protocol.ts'

/** One attempt to speak a text, which belongs to a connection. */
export interface SpeechStream {
  readonly id: string
  readonly voice: SpeakingVoice
  /** The text so far, and whether it is complete. */
  readonly texts: readonly string[]
  readonly complete: boolean
  audio(pcm: Int16Array): void
  /** The stream is over: without a fault the service has spoken all of it. Called once, not after `cancel`. */
  over(fault?: SocketFault): void
}

export interface SpeechConnectionOptions {
  readonly protocol: SpeechProtocol
  readonly clock: Clock
  /** Time for the handshake (ms). */
  readonly timeoutMs: number
  /** Time without streams after which the connection is closed (ms). */
  readonly idleMs: number
}

export interface SpeechConnectionEvents {
  /** The handshake has succeeded, or failed. */
  connected(fault: SocketFault | undefined): void
  /** There is room for another stream. */
  freed(): void
  /** The connection is over. Called once, not after `close`. */
  closed(): void
}

/** Time for the service to confirm the end of a cancelled stream, which counts as open until then (ms). */
const RELEASE_MS = 5_000

/** One socket with the streams that share it. Streams can be added before it is open. The creator closes it. */
export class SpeechConnection {
  readonly url: string
  readonly #options: SpeechConnectionOptions
  readonly #events: SpeechConnectionEvents
  readonly #stop = new AbortController()
  /** Open streams by id; undefined for a cancelled or failed stream whose end is awaited. */
  readonly #streams = new Map<string, SpeechStream | undefined>()
  readonly #releases = new Map<string, Disposable>()
  #socket: EngineSocket | undefined
  #keepAlive: Disposable | undefined
  #idle: Disposable | undefined

  private constructor(url: string, options: SpeechConnectionOptions, events: SpeechConnectionEvents) {
    this.url = url
    this.#options = options
    this.#events = events
  }

  /** Starts to connect. */
  static open(
    address: SocketAddress,
    options: SpeechConnectionOptions,
    events: SpeechConnectionEvents,
  ): SpeechConnection {
    const connection = new SpeechConnection(address.url, options, events)
    void connection.#connect(address)
    return connection
  }

  get streams(): number {
    return this.#streams.size
  }

  get full(): boolean {
    return this.#streams.size >= this.#options.protocol.maxStreams
  }

  /** Adds a stream and sends its text, as soon as the connection is open. */
  add(stream: SpeechStream): void {
    this.#idle?.[Symbol.dispose]()
    this.#idle = undefined
    this.#streams.set(stream.id, stream)
    if (this.#socket) this.#begin(stream)
  }

  /** Sends more text of a stream that was added. */
  say(stream: SpeechStream, text: string, last: boolean): void {
    if (!this.#socket || this.#streams.get(stream.id) !== stream) return
    for (const message of this.#options.protocol.text(stream.id, stream.voice, text, last))
      this.#socket.send(message)
  }

  /** Ends a stream, which receives no more messages. Idempotent. */
  cancel(stream: SpeechStream): void {
    if (this.#streams.get(stream.id) !== stream) return
    if (!this.#socket) {
      this.#release(stream.id)
      return
    }
    this.#socket.send(this.#options.protocol.cancel(stream.id))
    this.#awaitEnd(stream.id)
  }

  /** Closes the socket; streams are dropped. Idempotent. */
  close(): void {
    this.#stop.abort()
    this.#streams.clear()
    for (const timer of this.#releases.values()) timer[Symbol.dispose]()
    this.#releases.clear()
    this.#keepAlive?.[Symbol.dispose]()
    this.#idle?.[Symbol.dispose]()
    this.#socket?.close()
    this.#socket = undefined
  }

  async #connect(address: SocketAddress): Promise<void> {
    const { timeoutMs, clock } = this.#options
    const listener = {
      message: (message: unknown) => this.#message(message),
      closed: (fault: SocketFault) => this.#fail(fault),
    }
    let socket: EngineSocket
    try {
      socket = await EngineSocket.open(address, { timeoutMs, clock }, listener, this.#stop.signal)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      const fault =
        error instanceof SocketFault
          ? error
          : new SocketFault('failed to connect', { passing: false, cause: error })
      this.#events.connected(fault)
      this.#fail(fault)
      return
    }
    if (this.#stop.signal.aborted) {
      socket.close()
      return
    }
    this.#socket = socket
    this.#events.connected(undefined)
    this.#keepOpen()
    socket.start()
    for (const stream of this.#streams.values()) if (stream) this.#begin(stream)
    this.#watchIdle()
  }

  #begin(stream: SpeechStream): void {
    const { protocol } = this.#options
    const { id, voice, texts, complete } = stream
    for (const message of protocol.begin(id, voice)) this.#socket?.send(message)
    for (const [index, text] of texts.entries())
      this.say(stream, text, complete && index === texts.length - 1)
    if (complete && texts.length === 0) this.say(stream, '', true)
  }

  #message(message: unknown): void {
    const event = this.#options.protocol.read(message)
    if (!event) return
    const { id, audio, fault, ended } = event
    if (id === undefined) {
      if (fault) this.#fail(fault)
      return
    }
    if (!this.#streams.has(id)) return
    const stream = this.#streams.get(id)
    if (audio && audio.length > 0) stream?.audio(audio)
    if (fault && stream) this.#awaitEnd(id)
    if (ended) this.#release(id)
    if (stream && (fault || ended)) stream.over(fault)
  }

  /** The stream counts as open until its end is confirmed. */
  #awaitEnd(id: string): void {
    this.#streams.set(id, undefined)
    this.#releases.set(
      id,
      setTimer(this.#options.clock, RELEASE_MS, () => this.#release(id)),
    )
  }

  #release(id: string): void {
    this.#releases.get(id)?.[Symbol.dispose]()
    this.#releases.delete(id)
    if (!this.#streams.delete(id)) return
    this.#watchIdle()
    this.#events.freed()
  }

  #fail(fault: SocketFault): void {
    if (this.#stop.signal.aborted) return
    const streams = Array.from(this.#streams.values())
    this.close()
    this.#events.closed()
    for (const stream of streams) stream?.over(fault)
  }

  #keepOpen(): void {
    const { protocol, clock } = this.#options
    const { keepAlive } = protocol
    if (!keepAlive) return
    this.#keepAlive = setTimer(clock, keepAlive.everyMs, () => {
      this.#socket?.send(keepAlive.message)
      this.#keepOpen()
    })
  }

  #watchIdle(): void {
    if (!this.#socket || this.#streams.size > 0 || this.#idle) return
    const { clock, idleMs } = this.#options
    this.#idle = setTimer(clock, idleMs, () => {
      this.close()
      this.#events.closed()
    })
  }
}
