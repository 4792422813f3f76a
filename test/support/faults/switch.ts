import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Forwards TCP connections to the target that is current when they arrive. */
export class Switch {
  to: number | undefined
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', socket => this.#pass(socket))
  }

  static async listen(): Promise<Switch> {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return new Switch(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Resets every connection, as when its machine is gone. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #pass(socket: Socket): void {
    if (this.to === undefined) {
      socket.destroy()
      return
    }
    const behind = connect({ host: '127.0.0.1', port: this.to, noDelay: true })
    socket.setNoDelay(true)
    socket.pipe(behind).pipe(socket)
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
  }
}
