import { io, type Socket } from 'socket.io-client'

export interface SessionSocketOptions {
  /** `{base_url}/<namespace>`. */
  readonly url: string
  readonly apiKey: string
  readonly query: Readonly<Record<string, string>>
  readonly connectMs: number
  readonly maxMessageBytes: number
}

/** One socket for one session: websocket only, no reconnection, a connection of its own. */
export function sessionSocket(options: SessionSocketOptions): Socket {
  const settings = {
    transports: ['websocket'],
    upgrade: false,
    reconnection: false,
    forceNew: true,
    perMessageDeflate: false,
    auth: { token: options.apiKey },
    query: options.query,
    timeout: options.connectMs,
    // Handed on to the websocket; not in the library's types.
    maxPayload: options.maxMessageBytes,
  }
  return io(options.url, settings as unknown as Parameters<typeof io>[1])
}

/** What the websocket library offers beyond the standard one. */
interface Websocket {
  pause?(): void
  resume?(): void
  readonly _socket?: { readonly remoteAddress?: string }
}

function websocketOf(socket: Socket): Websocket | undefined {
  return (socket.io.engine?.transport as unknown as { ws?: Websocket } | undefined)?.ws
}

/** Stops reading, so that the service waits. False where the websocket cannot. */
export function pauseReading(socket: Socket): boolean {
  const websocket = websocketOf(socket)
  if (!websocket?.pause) return false
  websocket.pause()
  return true
}

export function resumeReading(socket: Socket): void {
  websocketOf(socket)?.resume?.()
}

/** The address that the socket is connected to, where it is known. */
export function remoteAddress(socket: Socket): string | undefined {
  return websocketOf(socket)?._socket?.remoteAddress
}
