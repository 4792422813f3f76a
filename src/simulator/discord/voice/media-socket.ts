import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'

/** Size of both messages of IP discovery (Discord, "Voice connections", UDP). */
const MESSAGE_BYTES = 74
const REQUEST = 1
const RESPONSE = 2
/** Size after the first four bytes. */
const BODY_BYTES = 70

/** The SSRC of a discovery request; undefined if `datagram` is not one. */
export function discoveryRequest(datagram: Buffer): number | undefined {
  if (datagram.length !== MESSAGE_BYTES) return undefined
  if (datagram.readUInt16BE(0) !== REQUEST || datagram.readUInt16BE(2) !== BODY_BYTES) return undefined
  return datagram.readUInt32BE(4)
}

/** The response: the address (text, followed by NUL) and port of the request's sender. */
export function discoveryResponse(ssrc: number, address: string, port: number): Buffer {
  const message = Buffer.alloc(MESSAGE_BYTES)
  message.writeUInt16BE(RESPONSE, 0)
  message.writeUInt16BE(BODY_BYTES, 2)
  message.writeUInt32BE(ssrc, 4)
  message.write(address, 8, 'latin1')
  message.writeUInt16BE(port, MESSAGE_BYTES - 2)
  return message
}

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
