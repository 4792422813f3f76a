import type { Socket } from 'socket.io'
import { type ServiceSettings, serviceUrl } from '../service-config.ts'

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i

/**
 * Returns the address of the service as seen by the client of `socket`: the configured one, else the one it connected
 * to.
 */
export function addressFor(socket: Socket, { publicUrl, host }: ServiceSettings): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { headers, secure } = socket.handshake
  if (headers.host !== undefined && HOST.test(headers.host))
    return `${secure ? 'https' : 'http'}://${headers.host}`
  return serviceUrl(host, socket.request.socket.localPort ?? 0)
}
