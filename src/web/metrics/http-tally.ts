import type { FastifyInstance } from 'fastify'
import { Histogram } from '../../core/model/relay-metrics.ts'
import { Tally } from './event-tally.ts'
import { type Family, histogramFamily, labelled } from './family.ts'

const AREAS = ['twilio', 'control', 'other'] as const
type Area = (typeof AREAS)[number]

/** Maximum number of combinations of route, method and status. */
const MOST_ROUTES = 500

/** Bounds (s). */
const DURATION = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Counts requests by route, never by address. Includes routes registered later. */
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
      // The duration of a stream does not measure latency.
      if (!String(reply.getHeader('content-type')).startsWith('text/event-stream'))
        this.#areas[areaOf(route)].record(reply.elapsedTime)
    })
  }

  families(): Family[] {
    return [
      labelled(
        'dragoman_http_requests_total',
        'Completed requests, by route.',
        ['route', 'method', 'status'],
        () => this.#requests.all,
      ),
      histogramFamily(
        'dragoman_http_request_seconds',
        'Time from request to end of response, without streams.',
        DURATION,
        () => AREAS.map(area => [{ area }, this.#areas[area]] as const),
      ),
    ]
  }
}

/** All files of pages count as one route. */
function routeLabel(route: string): string {
  return route.startsWith('/files') ? '/files' : route
}

function areaOf(route: string): Area {
  if (route.startsWith('/twilio')) return 'twilio'
  return route.startsWith('/v1') ? 'control' : 'other'
}
