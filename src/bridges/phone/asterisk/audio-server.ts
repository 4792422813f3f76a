import { createServer, type Server, type Socket } from 'node:net'
import type { Logger } from '../../../common/log.ts'
import { TrustedProxies } from '../../../net/client-address.ts'
import type { LegTransport } from '../../websocket/guarded-socket.ts'
import { AudioSocketConnection } from './audio-socket.ts'

/** Where Asterisk connects its streams. */
export interface AudioServerSettings {
  readonly host: string
  /** 0: a free port, for tests. */
  readonly port: number
  /** Addresses and networks that can connect. */
  readonly allowedAddresses: readonly string[]
  readonly maxConnections: number
}

/** TCP server for AudioSocket connections. */
export class AudioServer implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(
    settings: AudioServerSettings,
    accept: (connection: LegTransport) => void,
    log: Logger,
  ) {
    const allowed = new TrustedProxies(settings.allowedAddresses)
    this.#server = createServer(socket => {
      socket.on('error', () => {})
      if (!allowed.includes(socket.remoteAddress ?? '')) {
        log.warn({}, 'AudioSocket connection rejected: address not allowed')
        socket.destroy()
        return
      }
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
      accept(new AudioSocketConnection(socket))
    })
    this.#server.maxConnections = settings.maxConnections
  }

  /** Rejects if the address is in use. */
  static async listen(
    settings: AudioServerSettings,
    accept: (connection: LegTransport) => void,
    log: Logger,
  ): Promise<AudioServer> {
    const made = new AudioServer(settings, accept, log)
    const { host, port } = settings
    await new Promise<void>((settle, fail) => {
      made.#server.once('error', fail)
      made.#server.listen(port, host, settle)
    })
    return made
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  /** Stops listening, and breaks the connections that remain. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise(settle => this.#server.close(settle))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}
