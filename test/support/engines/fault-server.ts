import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { afterEach } from 'vitest'

/** Fault of the server instead of a correct answer. */
export type Fault =
  | 'status 500'
  | 'status 503 once'
  | 'status 429 once'
  | 'status 404'
  | 'slow'
  | 'garbage'
  | 'cut'
  | 'dropped once'
  | 'wrong type'
  | 'redirect'
  | 'endless'
  | 'empty'

/** A received request. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** A server on loopback that records requests and can be made to fail; closed after the test. */
export class FaultServer {
  readonly app: FastifyInstance = Fastify({ forceCloseConnections: true, bodyLimit: 16 << 20 })
  readonly seen: Seen[] = []
  fault: Fault | undefined
  url = ''

  constructor() {
    this.app.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        const type = request.headers['content-type'] ?? ''
        return new Response(body as Buffer<ArrayBuffer>, { headers: { 'content-type': type } }).formData()
      },
    )
    this.app.addHook('preHandler', async (request, reply) => {
      const { method, url: path, headers, body } = request
      this.seen.push({ method, path, headers, body })
      if (this.fault) return this.#fail(this.fault, request, reply)
    })
  }

  async listen(): Promise<this> {
    await this.app.listen({ host: '127.0.0.1', port: 0 })
    this.url = `http://127.0.0.1:${(this.app.server.address() as AddressInfo).port}`
    open.push(() => this.app.close())
    return this
  }

  async #fail(fault: Fault, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const said = JSON.stringify(request.body ?? '')
    switch (fault) {
      case 'status 503 once':
      case 'status 429 once':
        this.fault = undefined
        return reply.status(Number(fault.slice(7, 10))).send({ error: { message: said } })
      case 'status 500':
        return reply.status(500).send({ error: { message: said, type: 'server_error' } })
      case 'status 404':
        return reply.status(404).send({ detail: said })
      case 'slow':
        // Too slow for anybody: until the client gives up.
        return reply.hijack()
      case 'garbage':
        return reply.type('application/json').send('{"text": "')
      case 'wrong type':
        return reply.type('text/html').send('<h1>Welcome</h1>')
      case 'redirect':
        return reply.status(302).header('location', `${this.url}/elsewhere`).send()
      case 'empty':
        return reply.type('application/json').send('{}')
      case 'dropped once':
        this.fault = undefined
        reply.hijack()
        request.raw.socket.destroy()
        return reply
      case 'cut':
        reply.hijack()
        reply.raw.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '100000' })
        reply.raw.write(Buffer.alloc(5_000, 'RIFF'), () => setTimeout(() => request.raw.socket.destroy(), 20))
        return reply
      case 'endless': {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-type': 'application/octet-stream' })
        const more = () => {
          if (!reply.raw.destroyed) reply.raw.write(Buffer.alloc(1 << 20, 7), more)
        }
        reply.raw.on('error', () => {})
        more()
        return reply
      }
      default:
        fault satisfies never
    }
  }
}
