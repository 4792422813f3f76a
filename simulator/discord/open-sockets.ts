import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * All connections of a server in any state: half open, during the TLS handshake, or upgraded to another protocol.
 * Node's own `closeAllConnections` does not include these, and `close` waits for all.
 */
export class OpenSockets {
  readonly #sockets = new Set<Duplex>()

  constructor(server: Server) {
    server.on('connection', (socket: Duplex) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
