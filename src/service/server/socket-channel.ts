import type { Socket } from 'socket.io'
import { EVENT } from '../contract.ts'
import type { Channel } from './channel.ts'
import type { ErrorCounts } from './error-counts.ts'
import type { ErrorName } from './error-table.ts'

/** What a message costs beside its binary part, roughly. */
const MESSAGE_BYTES = 512

/** How many namespaces a client has joined on one connection: ending one session must not end the others. */
const joined = new WeakMap<object, number>()

/** A Socket.IO socket as a channel. The connection ends with its last session, whoever ended that. */
export class SocketChannel implements Channel {
  readonly #socket: Socket
  readonly #errors: ErrorCounts | undefined
  #unread = 0
  #waiting: (() => void)[] = []

  /** `errors` counts those that are sent. */
  constructor(socket: Socket, errors?: ErrorCounts) {
    this.#socket = socket
    this.#errors = errors
    const { conn } = socket
    joined.set(conn, (joined.get(conn) ?? 0) + 1)
    // Told when everything handed to the transport has left; what came meanwhile is little beside the bound.
    const drained = () => this.#drained()
    conn.on('drain', drained)
    socket.once('disconnect', () => {
      const others = (joined.get(conn) ?? 1) - 1
      joined.set(conn, others)
      conn.off('drain', drained)
      this.#drained()
      // Nobody could say anything on it any more that would be answered.
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
