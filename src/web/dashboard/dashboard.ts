import { readFileSync } from 'node:fs'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import { HIDDEN } from '../../net/openapi.ts'
import { markAuthenticated } from '../../net/request-guard.ts'
import { PAGE_HEADERS, pageDocument } from '../../pages/page-document.ts'
import type { BearerKeys } from '../control/auth.ts'
import { ControlError, fromFramework } from '../control/errors.ts'
import { FORWARDED, type Forwarding } from '../control/forwarding.ts'
import { language } from '../control/schemas.ts'
import { EventStreamResponse } from '../event-stream.ts'
import type {
  NodeState,
  Offer,
  RecordingView,
  ServerState,
  SimulatedCallView,
  SimulatedOrder,
} from './state.ts'
import type { Viewers } from './viewers.ts'

export interface DashboardOptions {
  /** Undefined: no keys are configured, and every path except the page returns `control_closed`. */
  readonly keys: BearerKeys | undefined
  readonly viewers: Viewers
  /** Returns the state of this server as the JSON of a `NodeState`. */
  readonly read: () => string
  /** The other nodes of the service; absent: this process alone. */
  readonly others?: OtherNodes | undefined
  readonly wall: WallClock
  /** Undefined: simulated calls are disabled. */
  readonly simulated: SimulatedCalls | undefined
  /** Returns the languages of the service; rejects while it cannot be queried. */
  readonly languages: () => Promise<Offer['languages']>
  readonly log: Logger
}

/** Simulated phones in calls to this server. */
export interface SimulatedCalls {
  /** Calls in progress. */
  readonly calls: readonly SimulatedCallView[]
  recordings(): Promise<readonly RecordingView[]>
  /** Rejects with `ControlError`: `capacity`, `value_not_allowed`, `not_now`. */
  place(order: SimulatedOrder): Promise<SimulatedCallView>
  /** Resolves to false if there is no such call. */
  end(id: string): Promise<boolean>
}

const orderSchema = z.strictObject({
  phones: z
    .array(
      z.strictObject({
        speaks: language.nullable(),
        hears: language,
        recording: z.string().regex(/^[\w-]{1,64}$/, 'the ID of a recording'),
      }),
    )
    .min(1)
    .max(2)
    .describe('one or two phones, each { speaks, hears, recording }'),
})

const MAX_BODY = 4_096
/** Modules of libraries that the page imports, as they are published. */
const LIBRARIES = ['preact', 'htm']

/**
 * The dashboard. `GET /dashboard` is its page, which contains no data; the state and all actions require a key as
 * `Authorization: Bearer`, which keeps it out of URLs and inaccessible to other pages.
 */
export async function dashboard(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const { keys, viewers, read, others, wall, simulated, languages, log } = options
  const page = pageDocument({
    title: 'Dashboard · Dragoman',
    module: 'web/dashboard/page/dashboard',
    styles: ['web/dashboard/page/dashboard.css'],
    body: 'web/dashboard/page/dashboard.html',
  })
  app.get('/', (_request, reply) => reply.headers(PAGE_HEADERS).send(page))
  for (const name of LIBRARIES) {
    const library = readFileSync(new URL(import.meta.resolve(name)))
    app.get(`/${name}.js`, { schema: HIDDEN }, (_request, reply) =>
      reply
        .headers({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=3600' })
        .send(library),
    )
  }
  app.addHook('onClose', async () => viewers[Symbol.dispose]())

  await app.register(async scope => {
    scope.setErrorHandler((error: FastifyError, _request, reply) => {
      const failure = fromFramework(error)
      if (failure.specific === 'unexpected')
        log.error({ err: error.name, reason: error.message }, 'dashboard request failed')
      return reply.status(failure.status).headers(failure.headers).send(failure.body)
    })
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('cache-control', 'no-store')
      if (!keys) throw new ControlError('control_closed')
      keys.holderOf(request.headers.authorization, request.ip)
      markAuthenticated(request.raw)
    }
    const config = { proof: 'headers' } as const
    const options = { onRequest, config, exposeHeadRoute: false, bodyLimit: MAX_BODY }

    scope.get('/state', options, async (request, reply) => {
      const completed = async (own: string) => {
        const more = (await others?.states(request)) ?? []
        return `{"at":${Math.round(wall())},"nodes":[${[own, ...more.map(each => JSON.stringify(each))].join()}]}`
      }
      const streamed =
        request.headers.accept?.includes('text/event-stream') && !(FORWARDED in request.headers)
      if (!streamed) return reply.type('application/json; charset=utf-8').send(await completed(read()))
      const outlet = new EventStreamResponse(reply)
      const viewing = viewers.add(outlet, completed)
      if (!viewing) throw new ControlError('too_many_readers', 'too many dashboard viewers; retry later')
      outlet.open(() => viewing[Symbol.dispose]())
      return reply
    })
    scope.get('/offer', options, async (): Promise<Offer> => {
      // Without the service, the page works without choices.
      const offered = await languages().catch(() => [])
      return { languages: offered, recordings: (await simulated?.recordings()) ?? [] }
    })
    scope.post('/calls', options, async (request, reply) => {
      const order = orderSchema.safeParse(request.body)
      if (!order.success) throw new ControlError('value_not_allowed', z.prettifyError(order.error))
      return reply.code(201).send(await simulatedOf(simulated).place(order.data))
    })
    scope.delete('/calls/:call', options, async request => {
      const { call } = request.params as { call: string }
      if (!(await simulatedOf(simulated).end(call))) throw new ControlError('call_unknown')
      return { id: call, ended: true }
    })
  })
}

function simulatedOf(simulated: SimulatedCalls | undefined): SimulatedCalls {
  if (!simulated) throw new ControlError('not_now', 'simulated calls are disabled (dashboard.simulatedCalls)')
  return simulated
}

/** A node without heartbeats for this long is silent (ms); others can take its rooms then. */
const SILENT_MS = 2_000
/** The reply of another node, of which only the part about itself counts. */
const replySchema = z.object({
  nodes: z.tuple([z.object({ node: z.string(), state: z.custom<ServerState>(value => value !== null) })]),
})

/** The states of the other nodes, requested from each with the key of the viewer. */
export class OtherNodes {
  readonly #fleet: Fleet
  readonly #forwarding: Pick<Forwarding, 'others'>

  constructor(fleet: Fleet, forwarding: Pick<Forwarding, 'others'>) {
    this.#fleet = fleet
    this.#forwarding = forwarding
  }

  /** Resolves to all other nodes, by name, for `request`; none if it comes from another node. Never rejects. */
  async states(request: FastifyRequest): Promise<readonly NodeState[]> {
    if (FORWARDED in request.headers) return []
    const replies = await this.#forwarding.others(request, ({ silentMs }) => silentMs < SILENT_MS)
    const states = new Map<string, ServerState>()
    for (const reply of replies) {
      const { data } = replySchema.safeParse(reply)
      for (const { node, state } of data?.nodes ?? []) states.set(node, state)
    }
    return this.#fleet.nodes
      .filter(({ node }) => node !== this.#fleet.node)
      .map(({ node, version, draining, silentMs }) => ({
        node,
        version,
        status:
          silentMs >= SILENT_MS ? ('silent' as const) : draining ? ('draining' as const) : ('up' as const),
        state: states.get(node) ?? null,
      }))
      .sort((a, b) => a.node.localeCompare(b.node))
  }
}
