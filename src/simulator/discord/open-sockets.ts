import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * The connections of a server, whatever has become of them: half open, in the midst of TLS's handshake, or another
 * protocol's by now. Node's own `closeAllConnections` knows of none of these, and `close` waits for all.
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
