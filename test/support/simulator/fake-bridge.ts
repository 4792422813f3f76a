import type { AddressInfo } from 'node:net'
import formbody from '@fastify/formbody'
import websocket from '@fastify/websocket'
import Fastify from 'fastify'
import type { WebSocket } from 'ws'

interface StandInSocket {
  socket: WebSocket
  rawHeaders: string[]
}

export interface StandInOptions {
  /** The answer to the webhook; `{url}` becomes the stream's URL. */
  twiml?: string
  status?: number
  streamUrl?: string
}

export interface StandIn extends AsyncDisposable {
  webhook: string
  port: number
  hooks: { fields: Record<string, string>; headers: Record<string, unknown>; url: string }[]
  sockets: StandInSocket[]
}

export const CONNECT =
  '<Response><Connect><Stream url="{url}"><Parameter name="token" value="t1"/></Stream></Connect></Response>'

/** Plays the bridge on loopback: answers webhooks, and accepts the phone’s streams. */
export async function standIn(options: StandInOptions = {}): Promise<StandIn> {
  const app = Fastify()
  const hooks: StandIn['hooks'] = []
  const sockets: StandInSocket[] = []
  await app.register(formbody)
  await app.register(websocket, { options: { perMessageDeflate: false } })
  let port = 0
  app.all('/twilio/:hook', async (request, reply) => {
    const fields = { ...(request.query as object), ...(request.body as object) } as Record<string, string>
    hooks.push({ fields, headers: request.headers, url: request.url })
    const { twiml = CONNECT } = options
    const url = options.streamUrl ?? `ws://127.0.0.1:${port}/media`
    return reply
      .code(options.status ?? 200)
      .type('text/xml')
      .send(twiml.replaceAll('{url}', url))
  })
  app.get('/media', { websocket: true }, (socket, request) => {
    sockets.push({ socket, rawHeaders: request.raw.rawHeaders })
    socket.on('error', () => {})
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  return {
    webhook: `http://127.0.0.1:${port}/twilio/voice`,
    port,
    hooks,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const { socket } of sockets) socket.terminate()
      await app.close()
    },
  }
}
