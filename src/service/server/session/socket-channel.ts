import type { Server } from 'node:http'
import type { Socket as TcpSocket } from 'node:net'
import type { Socket } from 'socket.io'
import { EVENT } from '../../contract.ts'
import type { ErrorCounts, ErrorName } from '../errors.ts'
import type { Channel } from './session.ts'

/** Approximate size of a message without its binary part. */
const MESSAGE_BYTES = 512

/** Number of namespaces a client has joined on a connection: ending one session must not end the others. */
const joined = new WeakMap<object, number>()

/** A Socket.IO socket as a channel. The connection is closed with its last session, by either side. */
export class SocketChannel implements Channel {
  readonly #socket: Socket
  readonly #errors: ErrorCounts | undefined
  #unread = 0
  #waiting: (() => void)[] = []

  /** `errors` counts the errors sent. */
  constructor(socket: Socket, errors?: ErrorCounts) {
    this.#socket = socket
    this.#errors = errors
  }

  /** Observes the socket from now on. Call it once, before anything is sent. */
  start(): void {
    const socket = this.#socket
    const { conn } = socket
    joined.set(conn, (joined.get(conn) ?? 0) + 1)
    // Called when the transport has sent everything; data added in the meantime is small relative to the limit.
    const drained = () => this.#drained()
    conn.on('drain', drained)
    socket.once('disconnect', () => {
      const others = (joined.get(conn) ?? 1) - 1
      joined.set(conn, others)
      conn.off('drain', drained)
      this.#drained()
      // No further packet on this connection would be answered.
      if (others === 0) conn.close()
    })
  }

  get unreadBytes(): number {
    return this.#unread
  }

  emit(event: string, payload: unknown): void {
    this.#unread += MESSAGE_BYTES + binaryBytes(payload)
    if (event === EVENT.error) this.#errors?.count((payload as { error: ErrorName }).error)
    this.#socket.emit(event, payload)
  }

  drained(): Promise<void> {
    if (this.#unread === 0 || !this.#socket.connected) return Promise.resolve()
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  end(): void {
    const alone = (joined.get(this.#socket.conn) ?? 1) <= 1
    this.#socket.disconnect(alone)
  }

  #drained(): void {
    this.#unread = 0
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

function binaryBytes(payload: unknown): number {
  const file = (payload as { file?: { data?: Uint8Array } } | null)?.file
  return file?.data?.byteLength ?? 0
}

/** Time for a graceful close before the connection is cut (ms). */
const GOODBYE_MS = 300

/** Tracks the connections of an HTTP server, so that closing it does not wait for a client that never disconnects. */
export class SocketTracker {
  readonly #open = new Set<TcpSocket>()

  /** Tracks what `server` accepts from now on. Call it once. */
  track(server: Server): void {
    server.on('connection', socket => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  /** Destroys the remaining connections after a short delay. */
  close(): void {
    setTimeout(() => {
      for (const socket of this.#open) socket.destroy()
    }, GOODBYE_MS).unref()
  }
}
