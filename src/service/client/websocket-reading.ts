import type { Socket } from 'socket.io-client'

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

/**
 * The library judges by the wall clock whether a ping is overdue, whenever something is sent: a clock that is set forward would end
 * every session at once. Its timer, which no clock moves, judges the same.
 */
export function ignoreWallClock(socket: Socket): void {
  const engine = socket.io.engine as unknown as { _hasPingExpired?: () => boolean } | undefined
  if (engine?._hasPingExpired) engine._hasPingExpired = () => false
}

/** The address that the socket is connected to, where it is known. */
export function remoteAddress(socket: Socket): string | undefined {
  return websocketOf(socket)?._socket?.remoteAddress
}
