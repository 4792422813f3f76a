import { EventEmitter } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { z } from 'zod'
import type { Logger } from '../../../common/log.ts'
import type { DeepReadonly } from '../../../common/setting-fields.ts'
import { TrustedProxies } from '../../../net/client-address.ts'
import type { LegTransport } from '../../websocket/guarded-socket.ts'
import type { audioSocketSchema } from './settings.ts'

/** Types of frames (Asterisk: AudioSocket). */
export const FRAME = { hangUp: 0x00, uuid: 0x01, dtmf: 0x03, slin: 0x10, slin16: 0x12, error: 0xff } as const

/** Bytes before the payload of a frame: type, and length as a big-endian number. */
export const HEADER_BYTES = 3
/** Maximum payload that is accepted (bytes): a second at 16 kHz. Asterisk sends 20 ms. */
const MAX_PAYLOAD = 32_000
/** Interval of TCP’s keep-alive probes, which detect a peer that is gone (ms). */
const KEEP_ALIVE_MS = 5_000

/** Codes with which a WebSocket would be closed. */
const NORMAL = 1000
const ABNORMAL = 1006

/** Orderly end for the server: a frame that hangs up. */
const HANG_UP_FRAME = Buffer.from([FRAME.hangUp, 0, 0])

/**
 * One AudioSocket connection as the transport of a leg: each frame, with its header, is a binary message. An orderly end
 * of the connection counts as a normal closure, since Asterisk sends nothing before it when the call is over.
 */
export class AudioSocketConnection extends EventEmitter implements LegTransport {
  readonly #socket: Socket
  /** Bytes of an incomplete frame. */
  #rest: Buffer = Buffer.alloc(0)
  #code = ABNORMAL

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.on('data', data => this.#receive(data))
    socket.on('end', () => {
      this.#code = NORMAL
    })
    socket.on('error', error => this.emit('error', error))
    socket.on('close', () => this.emit('close', this.#code))
  }

  get bufferedAmount(): number {
    return this.#socket.writableLength
  }

  /** Sends a frame. AudioSocket has no text messages. */
  send(message: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(message)
  }

  /** The protocol has no ping; an open TCP connection counts as its answer. */
  ping(): void {
    setImmediate(() => {
      if (!this.#socket.destroyed) this.emit('pong')
    })
  }

  close(): void {
    this.#code = NORMAL
    if (this.#socket.writable) this.#socket.end(HANG_UP_FRAME)
    else this.#socket.destroy()
  }

  terminate(): void {
    this.#socket.destroy()
  }

  #receive(data: Buffer): void {
    let bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data])
    while (bytes.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + bytes.readUInt16BE(1)
      if (end > HEADER_BYTES + MAX_PAYLOAD) {
        this.#rest = Buffer.alloc(0)
        this.emit(
          'error',
          Object.assign(new Error('frame too large'), { code: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' }),
        )
        this.#socket.destroy()
        return
      }
      if (bytes.length < end) break
      this.emit('message', bytes.subarray(0, end), true)
      bytes = bytes.subarray(end)
    }
    this.#rest = bytes
  }
}

export type AudioServerSettings = DeepReadonly<z.infer<typeof audioSocketSchema>>

/** Maximum number of connections: more than the legs of a process. Other addresses than the allowed ones are closed at once. */
const MOST_CONNECTIONS = 10_000

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
    this.#server.maxConnections = MOST_CONNECTIONS
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
