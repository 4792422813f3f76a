import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type Clock, withTimeout } from '../common/clock.ts'

/** Time for which running requests are awaited (ms). Twilio waits 15 s for a webhook. */
const LONGEST_REQUEST_MS = 10_000

/**
 * Lets a server end without cutting requests short. From `begin` on, each reply ends its connection, so that a proxy sends
 * the next request elsewhere. `finish` stops listening and awaits the replies that have not started; long replies such as
 * event streams, and WebSockets, are not awaited.
 */
export class GracefulClose {
  readonly #server: FastifyInstance
  readonly #clock: Clock
  readonly #waiting = new Set<ServerResponse>()
  #ending = false
  #answered: (() => void) | undefined

  constructor(server: FastifyInstance, clock: Clock) {
    this.#server = server
    this.#clock = clock
  }

  /** Adds its hooks to the server. Call it before the server is ready. */
  start(): void {
    this.#server.addHook('onRequest', async (request, reply) => {
      if (request.headers.upgrade !== undefined) return
      this.#waiting.add(reply.raw)
      reply.raw.once('close', () => this.#done(reply.raw))
    })
    this.#server.addHook('onSend', async (_request, reply) => {
      if (this.#ending) reply.header('connection', 'close')
    })
  }

  /** Ends connections with their next reply. */
  begin(): void {
    this.#ending = true
  }

  /** Stops listening; resolves when running requests were answered, at the latest after 10 s. Never rejects. */
  async finish(): Promise<void> {
    this.begin()
    this.#server.server.close()
    this.#server.server.closeIdleConnections()
    // Those that have started are streams, or end on their own.
    for (const reply of this.#waiting) if (reply.headersSent) this.#waiting.delete(reply)
    if (this.#waiting.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#answered = resolve
    await withTimeout(this.#clock, LONGEST_REQUEST_MS, promise)
  }

  #done(reply: ServerResponse): void {
    this.#waiting.delete(reply)
    if (this.#waiting.size === 0) this.#answered?.()
  }
}
