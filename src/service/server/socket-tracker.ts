import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a polite goodbye may take before the connection is cut (ms). */
const GOODBYE_MS = 300

/** Knows the connections of an HTTP server, so that closing it does not wait for a client that never says goodbye. */
export class SocketTracker {
  readonly #open = new Set<Socket>()

  constructor(server: Server) {
    server.on('connection', socket => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  /** Cuts what is still open after a short while. */
  close(): void {
    setTimeout(() => {
      for (const socket of this.#open) socket.destroy()
    }, GOODBYE_MS).unref()
  }
}
