import type { Socket } from 'socket.io'
import type { Channel } from './channel.ts'

/** What a message costs beside its binary part, roughly. */
const MESSAGE_BYTES = 512

/** How many namespaces a client has joined on one connection: ending one session must not end the others. */
const joined = new WeakMap<object, number>()

/** A Socket.IO socket as a channel. */
export class SocketChannel implements Channel {
  readonly #socket: Socket
  #unread = 0

  constructor(socket: Socket) {
    this.#socket = socket
    const { conn } = socket
    joined.set(conn, (joined.get(conn) ?? 0) + 1)
    socket.once('disconnect', () => void joined.set(conn, (joined.get(conn) ?? 1) - 1))
    // Told when everything handed to the transport has left; what came meanwhile is little beside the bound.
    conn.on('drain', () => {
      this.#unread = 0
    })
  }

  get unreadBytes(): number {
    return this.#unread
  }

  emit(event: string, payload: unknown): void {
    this.#unread += MESSAGE_BYTES + binaryBytes(payload)
    this.#socket.emit(event, payload)
  }

  end(): void {
    const alone = (joined.get(this.#socket.conn) ?? 1) <= 1
    this.#socket.disconnect(alone)
  }
}

function binaryBytes(payload: unknown): number {
  const file = (payload as { file?: { data?: Uint8Array } } | null)?.file
  return file?.data?.byteLength ?? 0
}
