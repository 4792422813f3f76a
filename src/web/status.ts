import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FleetStatus } from '../core/model/fleet.ts'
import type { Relay } from '../core/room/relay.ts'
import { isLocalRequest } from '../net/client-address.ts'

/** Reason for not sending new calls to this server. */
export type NotReady = 'draining' | 'overloaded' | 'service-unavailable'

export interface StatusOptions {
  readonly relay: Relay
  /** Absent, or undefined: new calls are accepted. */
  readonly notReady?: () => NotReady | undefined
  /** State of the fleet; absent without one. Nodes that cannot reach the others are ready all the same. */
  readonly fleet?: () => FleetStatus
}

/** Delay before the next readiness check (s). */
const RETRY_SECONDS = '5'

/**
 * Routes for operators and load balancers: `GET /health` in JSON, `GET /live` if the process works, `GET /ready` if it
 * accepts new calls.
 */
export default async function status(app: FastifyInstance, options: StatusOptions): Promise<void> {
  const { relay, notReady = () => undefined, fleet } = options
  /** Load figures are only for local operators; with a key, `/metrics` and the control API return them. */
  const figures = (request: FastifyRequest, all: Readonly<Record<string, number>>) =>
    isLocalRequest(request.raw) ? all : {}
  app.get('/health', request => ({
    status: 'ok',
    name: 'dragoman',
    ...figures(request, {
      legs: relay.legs,
      rooms: relay.rooms.size,
      untranslated: relay.receptions.unavailable,
    }),
  }))
  // Any response means that the process is alive; a restart would not fix other problems.
  app.get('/live', () => ({ status: 'ok' }))
  app.get('/ready', (request, reply) => {
    const why = notReady()
    // Nobody is there, or nobody is served: then only the services themselves are known.
    const { translated, 'stand-in': standIn, unavailable } = relay.receptions
    const down = translated + standIn === 0 && relay.serviceProblems.every(problem => problem)
    const about = {
      status: why ?? 'ready',
      service: down ? 'unavailable' : unavailable > 0 ? 'degraded' : 'ok',
      ...(fleet && { fleet: fleet() }),
      ...figures(request, { legs: relay.legs }),
    }
    return why === undefined ? about : reply.code(503).header('retry-after', RETRY_SECONDS).send(about)
  })
}

/** Returns the text of `/` for clients other than browsers. */
export function statusWords(): string {
  return (
    'Dragoman is on the line.\n\n' +
    'GET  /               in a browser: a page to talk into\nPOST /twilio/voice   the webhook of a phone number\nGET  /ready          for load balancers (/live for supervisors, /health for people)\nGET  /v1/docs        the control API, if it has keys\n'
  )
}
