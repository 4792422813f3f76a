import type { AddressInfo } from 'node:net'
import formbody from '@fastify/formbody'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'

/** A message from the phone, as far as these tests read it. */
interface PhoneMessage {
  event: string
  sequenceNumber?: string
  streamSid?: string
  start?: { callSid: string; streamSid: string; customParameters?: Record<string, string> }
  media?: { track: string; chunk: string; timestamp: string; payload: string }
  dtmf?: { digit: string; track: string }
  mark?: { name: string }
  stop?: { callSid: string }
}

interface StandInSocket {
  socket: WebSocket
  rawHeaders: string[]
  messages: PhoneMessage[]
  /** Raw text or bytes of every message. */
  raw: { data: Buffer; isBinary: boolean; at: number }[]
  closed: Promise<number>
  /** The stream's id, after `start`. */
  sid: string
}

export interface StandInOptions {
  /** The answer to the webhook; `{url}` becomes the stream's URL. */
  twiml?: string | ((fields: Record<string, string>, count: number) => string)
  type?: string
  status?: number
  onMessage?: (message: PhoneMessage, to: StandInSocket) => void
  refuse?: number
  streamUrl?: string
  /** What `/sounds/<name>` serves. */
  sounds?: Record<string, { type: string; bytes: Uint8Array }>
}

export interface StandIn extends AsyncDisposable {
  app: FastifyInstance
  webhook: string
  port: number
  hooks: { fields: Record<string, string>; headers: Record<string, unknown>; url: string }[]
  sockets: StandInSocket[]
}

export const CONNECT =
  '<Response><Connect><Stream url="{url}"><Parameter name="token" value="t1"/></Stream></Connect></Response>'

/** Plays the bridge on loopback: answers the webhook, records the phone's messages, and follows the test's instructions. */
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
    const { twiml = CONNECT, type = 'text/xml' } = options
    const text = typeof twiml === 'string' ? twiml : twiml(fields, hooks.length)
    const url = options.streamUrl ?? `ws://127.0.0.1:${port}/media`
    return reply
      .code(options.status ?? 200)
      .type(type)
      .send(text.replaceAll('{url}', url))
  })
  app.get<{ Params: { name: string } }>('/sounds/:name', (request, reply) => {
    const sound = options.sounds?.[request.params.name]
    return sound ? reply.type(sound.type).send(Buffer.from(sound.bytes)) : reply.code(404).send()
  })
  app.get(
    '/media',
    {
      websocket: true,
      preValidation: async (_, reply) => {
        if (options.refuse) await reply.code(options.refuse).send()
      },
    },
    (socket, request) => {
      const closed = new Promise<number>(resolve => socket.once('close', resolve))
      const entry: StandInSocket = {
        socket,
        rawHeaders: request.raw.rawHeaders,
        messages: [],
        raw: [],
        closed,
        sid: '',
      }
      sockets.push(entry)
      socket.on('error', () => {})
      socket.on('message', (data: Buffer, isBinary) => {
        entry.raw.push({ data, isBinary, at: performance.now() })
        let message: PhoneMessage
        try {
          message = JSON.parse(data.toString()) as PhoneMessage
        } catch {
          return
        }
        if (message.event === 'start') entry.sid = message.streamSid ?? ''
        entry.messages.push(message)
        options.onMessage?.(message, entry)
      })
    },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
  return {
    app,
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
