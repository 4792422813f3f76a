import type { FastifyInstance } from 'fastify'
import type { Relay } from '../core/relay.ts'

export interface StatusOptions {
  readonly relay: Relay
}

/** What an operator and a load balancer ask for: `GET /` in words, `GET /health` in JSON. */
export default async function status(app: FastifyInstance, { relay }: StatusOptions): Promise<void> {
  app.get('/health', () => ({ status: 'ok', legs: relay.legs, rooms: relay.rooms.size }))
  app.get('/', (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(
        `Dragoman is on the line.\n\nlegs ${relay.legs} · rooms ${relay.rooms.size}\n\n` +
          'POST /twilio/voice   where a telephone number points\nGET  /health         for load balancers\nGET  /v1/docs        the control API, if it has keys\n',
      ),
  )
}
