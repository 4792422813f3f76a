import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'

/** Source or destination of datagrams. */
export interface Address {
  readonly address: string
  readonly port: number
}

/** The UDP socket of a voice server. Errors of single datagrams count as loss. */
export class MediaSocket {
  readonly #socket: Socket
  #closing: Promise<void> | undefined

  private constructor(onDatagram: (datagram: Buffer, from: RemoteInfo) => void) {
    this.#socket = createSocket('udp4').on('message', onDatagram)
  }

  /** Binds on loopback, on a port that the system chooses. */
  static async bind(onDatagram: (datagram: Buffer, from: RemoteInfo) => void): Promise<MediaSocket> {
    const media = new MediaSocket(onDatagram)
    await new Promise<void>((settle, fail) => {
      media.#socket.once('error', fail)
      media.#socket.bind(0, '127.0.0.1', settle)
    })
    media.#socket.removeAllListeners('error').on('error', () => {})
    return media
  }

  get port(): number {
    return this.#socket.address().port
  }

  send(bytes: Buffer, { address, port }: Address): void {
    if (!this.#closing) this.#socket.send(bytes, port, address)
  }

  /** Sends from a separate port, like a third party. */
  forge(bytes: Buffer, { address, port }: Address): Promise<void> {
    const stranger = createSocket('udp4')
    return new Promise(settle => stranger.send(bytes, port, address, () => stranger.close(() => settle())))
  }

  close(): Promise<void> {
    this.#closing ??= new Promise(settle => this.#socket.close(() => settle()))
    return this.#closing
  }
}
