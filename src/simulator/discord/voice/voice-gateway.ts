import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { OpenSockets } from '../open-sockets.ts'
import { BotSocket, type BotSocketHost } from './bot-socket.ts'
import type { SelfSigned } from './self-signed.ts'

/** The bots' endpoint: WebSockets over TLS. */
export class VoiceGateway {
  readonly #https: Server
  readonly #open: OpenSockets
  readonly #sockets: WebSocketServer
  #refusal: { code: number; times: number } | undefined

  private constructor({ key, certificate }: SelfSigned, host: BotSocketHost) {
    this.#https = createServer({ key, cert: certificate })
    this.#open = new OpenSockets(this.#https)
    this.#sockets = new WebSocketServer({ server: this.#https })
    this.#sockets.on('connection', socket => {
      const refusal = this.#refusal
      if (!refusal) return void new BotSocket(socket, host)
      if (--refusal.times <= 0) this.#refusal = undefined
      socket.close(refusal.code)
    })
  }

  /** Listens on loopback, on a port that the system chooses. */
  static async listen(identity: SelfSigned, host: BotSocketHost): Promise<VoiceGateway> {
    const gateway = new VoiceGateway(identity, host)
    await new Promise<void>((settle, fail) => {
      gateway.#https.once('error', fail)
      gateway.#https.listen(0, '127.0.0.1', settle)
    })
    return gateway
  }

  get port(): number {
    return (this.#https.address() as AddressInfo).port
  }

  /** Closes the next `times` sockets with `code` before they receive anything. */
  refuse(code: number, times: number): void {
    this.#refusal = { code, times }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    await new Promise<void>(settle => this.#sockets.close(() => settle()))
    const closed = new Promise<void>(settle => this.#https.close(() => settle()))
    this.#open.destroy()
    await closed
  }
}
