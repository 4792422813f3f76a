import { WebSocket } from 'ws'

/** The HTTP status that answers an upgrade; 101: accepted. */
export function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise(resolve => {
    const socket = new WebSocket(url, { headers })
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('error', () => {})
  })
}
