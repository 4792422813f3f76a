import type { FastifyInstance } from 'fastify'
import { Histogram } from '../../core/metrics.ts'
import { Tally } from './event-tally.ts'
import { type Family, histogramFamily, labelled } from './family.ts'

const AREAS = ['twilio', 'control', 'other'] as const
type Area = (typeof AREAS)[number]

/** Routes with methods and statuses that are told apart. */
const MOST_ROUTES = 500

/** Bounds (s). */
const DURATION = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Counts the requests of a server by route, never by address. Routes that are registered later are counted. */
export class HttpTally {
  readonly #requests = new Tally(MOST_ROUTES)
  readonly #areas: Record<Area, Histogram> = {
    twilio: new Histogram(),
    control: new Histogram(),
    other: new Histogram(),
  }

  constructor(server: FastifyInstance) {
    server.addHook('onResponse', async (request, reply) => {
      const route = request.routeOptions.url ?? 'none'
      this.#requests.add([routeLabel(route), request.method, `${reply.statusCode}`])
      // How long a stream lasts says nothing of how fast it is answered.
      if (!String(reply.getHeader('content-type')).startsWith('text/event-stream'))
        this.#areas[areaOf(route)].record(reply.elapsedTime)
    })
  }

  families(): Family[] {
    return [
      labelled(
        'dragoman_http_requests_total',
        'Requests answered, by route.',
        ['route', 'method', 'status'],
        () => this.#requests.all,
      ),
      histogramFamily(
        'dragoman_http_request_seconds',
        'From a request to the end of its answer; streams are left out.',
        DURATION,
        () => AREAS.map(area => [{ area }, this.#areas[area]] as const),
      ),
    ]
  }
}

/** All pages' files are one route. */
function routeLabel(route: string): string {
  return route.startsWith('/files') ? '/files' : route
}

function areaOf(route: string): Area {
  if (route.startsWith('/twilio')) return 'twilio'
  return route.startsWith('/v1') ? 'control' : 'other'
}
