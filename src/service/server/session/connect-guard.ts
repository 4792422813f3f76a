import type { IncomingMessage } from 'node:http'
import type { Socket as TcpSocket } from 'node:net'
import type { Clock } from '../../../common/clock.ts'
import { TokenBucket } from '../../../common/rate-limit.ts'

/** CONNECT packets per connection that are rejected or not answered yet: burst and rate. */
const CONNECTS = { burst: 5, perSecond: 0.5 }
/** Packets of any kind before the first namespace is joined. */
const MAX_PACKETS = 32
/** Bytes before the first namespace is joined: room for a long key, and little to hold per connection. */
const MAX_BYTES = 256 * 1024
/** Body of one polling request before the first namespace is joined: bounds how many packets it can hold. */
const MAX_POLLING_BYTES = 64 * 1024

/** The first character of a Socket.IO packet: its type. */
const CONNECT = '0'

/** The part of an Engine.IO connection that is used here. */
export interface EngineConnection {
  readonly request: IncomingMessage
  readonly transport: { readonly name: string }
  on(event: 'packet', listener: (packet: { type: string; data?: unknown }) => void): unknown
  send(data: string): unknown
  close(discard?: boolean): unknown
}

interface Progress {
  /** Until the first namespace is joined. */
  pending: boolean
  packets: number
  /** Pays for CONNECT packets; joining a namespace returns the token. */
  readonly connects: TokenBucket
}

/**
 * Limits what an Engine.IO connection can send before it has joined a namespace, and how many CONNECT packets can be
 * rejected on it at any time. Packets are counted as they arrive: Socket.IO rejects asynchronously, so it would
 * otherwise process a payload of thousands of CONNECT packets completely before the first rejection.
 */
export class ConnectGuard {
  readonly #progress = new WeakMap<object, Progress>()
  readonly #clock: Clock
  readonly #exceeded: () => void
  #current: EngineConnection | undefined

  /** `exceeded` is called for every connection that is closed for exceeding a limit. */
  constructor(clock: Clock, exceeded: () => void) {
    this.#clock = clock
    this.#exceeded = exceeded
  }

  /** The connection whose packet is being processed. Valid only synchronously, while Socket.IO reads that packet. */
  get current(): EngineConnection | undefined {
    return this.#current
  }

  /** Starts counting; call it from Engine.IO's `connection` event. */
  watch(connection: EngineConnection): void {
    const connects = new TokenBucket(CONNECTS.perSecond, CONNECTS.burst, this.#clock.now())
    const progress: Progress = { pending: true, packets: 0, connects }
    this.#progress.set(connection, progress)
    if (connection.transport.name === 'websocket') this.watchSocket(connection, connection.request.socket)
    connection.on('packet', ({ type, data }) => {
      this.#current = connection
      const connect = type === 'message' && typeof data === 'string' && data.startsWith(CONNECT)
      const refused = connect && connects.take(this.#clock.now()) < 0
      if (refused || (progress.pending && ++progress.packets > MAX_PACKETS)) this.#close(connection)
    })
  }

  /** Counts the bytes of `socket`, a WebSocket of `connection`, until a namespace is joined. */
  watchSocket(connection: EngineConnection, socket: TcpSocket): void {
    const progress = this.#progress.get(connection)
    if (!progress?.pending) return
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (!progress.pending) socket.off('data', count)
      else if (bytes > MAX_BYTES) {
        socket.off('data', count)
        this.#close(connection)
        socket.destroy()
      }
    }
    socket.on('data', count)
  }

  /** Returns the problem with a polling request of `connection` if its body exceeds the current limit, or undefined. */
  oversized(connection: EngineConnection, { method, headers }: IncomingMessage): string | undefined {
    if (method !== 'POST' || this.#progress.get(connection)?.pending === false) return undefined
    const length = headers['content-length']
    if (length !== undefined && Number(length) <= MAX_POLLING_BYTES) return undefined
    return `before a namespace is joined a body has a Content-Length of at most ${MAX_POLLING_BYTES}, got ${length ?? 'none'}`
  }

  /** Records that a namespace was joined on `connection`. */
  joined(connection: object): void {
    const progress = this.#progress.get(connection)
    if (!progress) return
    progress.pending = false
    progress.connects.give()
  }

  #close(connection: EngineConnection): void {
    this.#exceeded()
    connection.close(true)
    // A WebSocket whose peer does not answer the close frame stays open for 30 s, and keeps sending.
    if (connection.transport.name === 'websocket') connection.request.socket.destroy()
  }
}
