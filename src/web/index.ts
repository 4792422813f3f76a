import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Relay } from '../core/relay.ts'
import { isFromThisMachine } from '../guard/this-machine.ts'

/** Why no new calls should be sent here. */
export type NotReady = 'draining' | 'overloaded' | 'service-away'

export interface StatusOptions {
  readonly relay: Relay
  /** Absent, or undefined: new calls may come. */
  readonly notReady?: () => NotReady | undefined
}

/** When somebody who asked whether we are ready may ask again (s). */
const RETRY_SECONDS = '5'

/**
 * What an operator and a load balancer ask for: `GET /health` in JSON, `GET /live` whether this process works,
 * `GET /ready` whether it takes new calls.
 */
export default async function status(app: FastifyInstance, options: StatusOptions): Promise<void> {
  const { relay, notReady = () => undefined } = options
  /** How much there is to do is for whoever runs this machine; with a key `/metrics` and the control API tell it. */
  const figures = (request: FastifyRequest, all: Readonly<Record<string, number>>) =>
    isFromThisMachine(request.raw) ? all : {}
  app.get('/health', request => ({
    status: 'ok',
    name: 'dragoman',
    ...figures(request, { legs: relay.legs, rooms: relay.rooms.size }),
  }))
  // That it is answered at all is what it says: nothing that another process could mend by a restart is looked at.
  app.get('/live', () => ({ status: 'ok' }))
  app.get('/ready', (request, reply) => {
    const why = notReady()
    const about = {
      status: why ?? 'ready',
      service: relay.serviceAway ? 'away' : 'ok',
      ...figures(request, { legs: relay.legs }),
    }
    return why === undefined ? about : reply.code(503).header('retry-after', RETRY_SECONDS).send(about)
  })
}

/** What is said at `/` to whoever asks without a browser. */
export function statusWords(): string {
  return (
    'Dragoman is on the line.\n\n' +
    'GET  /               in a browser: a page to talk into\nPOST /twilio/voice   where a telephone number points\nGET  /ready          for load balancers (/live for supervisors, /health for people)\nGET  /v1/docs        the control API, if it has keys\n'
  )
}
