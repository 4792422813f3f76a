import formbody from '@fastify/formbody'
import Fastify, { type FastifyInstance } from 'fastify'

export interface RestRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly fields: Readonly<Record<string, string | string[]>>
}

/** A response of the API: status and body. */
export type RestReply = (
  request: RestRequest,
) => { status?: number; body: unknown } | Promise<{ status?: number; body: unknown }>

export const ACCOUNT = `AC${'0'.repeat(32)}`

/** A minimal REST API of Twilio on loopback: records requests and returns the test’s responses. */
export class RestStandIn implements AsyncDisposable {
  readonly requests: RestRequest[] = []
  readonly url: string
  reply: RestReply
  readonly #app: FastifyInstance

  private constructor(app: FastifyInstance, url: string) {
    this.#app = app
    this.url = url
    this.reply = ({ path }) => ({
      body: { sid: /Calls\/(\w+)\.json$/.exec(path)?.[1] ?? 'CA1', status: 'queued' },
    })
  }

  static async open(): Promise<RestStandIn> {
    const app = Fastify({ forceCloseConnections: true })
    await app.register(formbody)
    let standIn: RestStandIn | undefined
    app.all('/*', async (request, reply) => {
      const asked = {
        method: request.method,
        path: request.url,
        authorization: Buffer.from(
          (request.headers.authorization ?? '').replace('Basic ', ''),
          'base64',
        ).toString(),
        fields: (request.body ?? {}) as Record<string, string>,
      }
      standIn?.requests.push(asked)
      const { status = 200, body } = (await standIn?.reply(asked)) ?? { body: {} }
      return reply.code(status).send(body)
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    standIn = new RestStandIn(app, url)
    return standIn
  }

  /** Returns an error in Twilio’s format for every request. */
  fail(status: number, code: number, message = 'The number +15005550006 is a secret.'): void {
    this.reply = () => ({ status, body: { code, message, status, more_info: '' } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close()
  }
}
