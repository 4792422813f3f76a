import { type Clock, setTimer } from '../../../common/clock.ts'
import { durationMs, Framer, SAMPLE_RATE } from '../../../transcode/pcm.ts'
import { createResampler, type Resampler } from '../../../transcode/resample/resampler.ts'
import { PositionMap } from './audio-history.ts'
import { CONNECT_TIMEOUT_MS, EngineSocket, SocketFault, type SocketListener } from './engine-socket.ts'
import type { LiveDialogue, LiveLink, LiveProtocol, LiveTransport } from './live-protocol.ts'

export interface LiveConnectionOptions {
  readonly protocol: LiveProtocol
  readonly clock: Clock
}

export interface LiveConnectionListener {
  /** Results exist for the audio up to `streamMs`. */
  answered(streamMs: number): void
  /** The service ends this connection in `ms`. */
  renewIn(ms: number): void
  /** The connection has failed, after its dialogue was notified. Called once, not after `close`. */
  failed(fault: SocketFault): void
  /** Time since the speaker was last heard (ms). */
  readonly quietMs: number
  /** Start of the speech since the last pause (ms). */
  readonly speechFromMs: number
}

/** Time for the handshake and then the service's confirmation (ms). */
const CONFIRMED_MS = 2 * CONNECT_TIMEOUT_MS

/**
 * One confirmed connection of a stream: converts audio to the service's rate and message length, and keeps the
 * correspondence of positions. The caller closes it.
 */
export class LiveConnection implements LiveLink {
  readonly #clock: Clock
  readonly #listener: LiveConnectionListener
  readonly #positions: PositionMap
  readonly #dialogue: LiveDialogue
  readonly #resampler: Resampler
  readonly #chunks: Framer
  readonly #ready = Promise.withResolvers<void>()
  #socket: LiveTransport | undefined
  #over = false
  #fault: SocketFault | undefined
  #sentAt: number
  /** Time at which it was created (clock ms). */
  readonly openedAt: number

  private constructor(start: number, options: LiveConnectionOptions, listener: LiveConnectionListener) {
    const { protocol, clock } = options
    this.#clock = clock
    this.#listener = listener
    this.#positions = new PositionMap(start)
    this.#resampler = createResampler(SAMPLE_RATE, protocol.rate)
    this.#chunks = new Framer((protocol.rate * protocol.chunkMs) / 1_000, pcm => this.#send(pcm))
    this.#dialogue = protocol.dialogue(this)
    this.openedAt = clock.now()
    this.#sentAt = this.openedAt
    this.#ready.promise.catch(() => {})
  }

  /** Connects and waits for the confirmation. `start`: position of its first sample in the stream (samples). */
  static async open(
    start: number,
    options: LiveConnectionOptions,
    listener: LiveConnectionListener,
    signal: AbortSignal,
  ): Promise<LiveConnection> {
    const { protocol, clock } = options
    const connection = new LiveConnection(start, options, listener)
    const late = setTimer(clock, CONFIRMED_MS, () =>
      connection.fail(new SocketFault(`not ready within ${CONFIRMED_MS} ms`, { passing: true })),
    )
    const stop = () => connection.fail(new SocketFault('was stopped', { passing: false }))
    signal.addEventListener('abort', stop, { once: true })
    try {
      const address = await protocol.address(signal)
      const events: SocketListener = {
        message: message => connection.#message(message),
        closed: fault =>
          connection.fail((fault.code !== undefined && protocol.closedWith?.(fault.code)) || fault),
      }
      connection.#socket = protocol.connect
        ? await protocol.connect(address, events, signal)
        : await EngineSocket.open(address, { clock }, events, signal)
      if (connection.#over) connection.#socket.close()
      else {
        connection.#dialogue.begin()
        connection.#socket.start()
      }
      await connection.#ready.promise
      return connection
    } catch (error) {
      connection.close()
      throw error
    } finally {
      late[Symbol.dispose]()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Reason for its end, unless it was closed. */
  get fault(): SocketFault | undefined {
    return this.#fault
  }

  get busy(): boolean {
    return this.#dialogue.busy
  }

  get sentMs(): number {
    return this.#positions.sentMs
  }

  get quietMs(): number {
    return this.#listener.quietMs
  }

  get speechFromMs(): number {
    return this.#listener.speechFromMs
  }

  /** Time since audio was last sent (ms). */
  get idleMs(): number {
    return this.#clock.now() - this.#sentAt
  }

  streamMs(connectionMs: number): number {
    return this.#positions.streamMs(connectionMs)
  }

  /** Sends 16 kHz audio of the stream; borrowed. */
  audio(pcm: Int16Array): void {
    this.#positions.sent(durationMs(pcm.length))
    this.#sentAt = this.#clock.now()
    this.#chunks.write(this.#resampler.process(pcm))
  }

  /** Sends `ms` of silence that is not part of the stream. */
  silence(ms: number): void {
    this.#positions.inserted(ms)
    this.#sentAt = this.#clock.now()
    this.#chunks.write(this.#resampler.process(new Int16Array((SAMPLE_RATE * ms) / 1_000)))
  }

  /** Sends the incomplete message, and requests the results of everything sent. */
  pause(): void {
    this.#chunks.end()
    this.#dialogue.pause?.()
  }

  keepAlive(): void {
    this.#sentAt = this.#clock.now()
    this.#dialogue.keepAlive?.()
  }

  send(message: object): void {
    this.#socket?.send(message)
  }

  sendBinary(bytes: Uint8Array): void {
    this.#socket?.sendBinary(bytes)
  }

  ready(): void {
    this.#ready.resolve()
  }

  answered(streamMs: number): void {
    if (!this.#over) this.#listener.answered(streamMs)
  }

  renewIn(ms: number): void {
    if (!this.#over) this.#listener.renewIn(ms)
  }

  fail(fault: SocketFault): void {
    if (this.#over) return
    this.#fault = fault
    this.#end()
    this.#ready.reject(fault)
    this.#listener.failed(fault)
  }

  /** Settles the utterance in progress and closes the socket. Idempotent. */
  close(): void {
    if (this.#over) return
    if (this.#socket) this.#dialogue.finish?.()
    this.#end()
    this.#ready.reject(new SocketFault('was closed', { passing: false }))
  }

  #end(): void {
    this.#over = true
    this.#dialogue.ended()
    this.#socket?.close()
  }

  #message(message: unknown): void {
    if (!this.#over) this.#dialogue.message(message)
  }

  #send(pcm: Int16Array): void {
    if (!this.#over) this.#dialogue.audio(pcm)
  }
}
