import type { Server } from 'node:http'
import type { Socket as TcpSocket } from 'node:net'

/** Time for a graceful close before the connection is cut (ms). */
const GOODBYE_MS = 300

/** Tracks the connections of an HTTP server, so that closing it does not wait for a client that never disconnects. */
export class SocketTracker {
  readonly #open = new Set<TcpSocket>()

  constructor(server: Server) {
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
