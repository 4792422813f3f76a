import type { Socket } from 'socket.io-client'

/** The websocket library's extensions of the standard interface. */
interface Websocket {
  pause?(): void
  resume?(): void
  readonly _socket?: { readonly remoteAddress?: string }
}

function websocketOf(socket: Socket): Websocket | undefined {
  return (socket.io.engine?.transport as unknown as { ws?: Websocket } | undefined)?.ws
}

/** Stops reading, so that the service waits. Returns false if the websocket cannot pause. */
export function pauseReading(socket: Socket): boolean {
  const websocket = websocketOf(socket)
  if (!websocket?.pause) return false
  websocket.pause()
  return true
}

export function resumeReading(socket: Socket): void {
  websocketOf(socket)?.resume?.()
}

/**
 * Disables the library's check for overdue pings on each send, which uses the wall clock: setting the clock forward
 * would end every session. Its timer, which is independent of the wall clock, performs the same check.
 */
export function ignoreWallClock(socket: Socket): void {
  const engine = socket.io.engine as unknown as { _hasPingExpired?: () => boolean } | undefined
  if (engine?._hasPingExpired) engine._hasPingExpired = () => false
}

/** Returns the remote address of the socket, if known. */
export function remoteAddress(socket: Socket): string | undefined {
  return websocketOf(socket)?._socket?.remoteAddress
}
