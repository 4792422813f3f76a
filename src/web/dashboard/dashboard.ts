import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import { SECURITY_HEADERS } from '../../net/http-hardening.ts'
import { markAuthenticated } from '../../net/request-guard.ts'
import { PAGE_HEADERS, pageDocument } from '../../pages/page-document.ts'
import type { BearerKeys } from '../control/auth.ts'
import { ControlError, fromFramework } from '../control/errors.ts'
import { FORWARDED } from '../control/forwarding.ts'
import { language } from '../control/schemas.ts'
import { EventStreamResponse } from '../event-stream.ts'
import { NodeStreams } from './node-streams.ts'
import type { Offer, RecordingView, SimulatedCallView, SimulatedOrder } from './protocol.ts'
import type { ViewerHub } from './viewer-hub.ts'

export interface DashboardOptions {
  /** Undefined: no keys are configured, and every path except the page returns `control_closed`. */
  readonly keys: BearerKeys | undefined
  readonly audience: ViewerHub
  /** The nodes of the service; absent: this process alone. */
  readonly fleet?: Fleet | undefined
  readonly clock: Clock
  /** Undefined: simulated calls are disabled. */
  readonly simulated: SimulatedCalls | undefined
  /** Returns the languages of the service; rejects while it cannot be queried. */
  readonly languages: () => Promise<Offer['languages']>
  readonly log: Logger
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

/**
 * The dashboard. `GET /dashboard` is its page, which contains no data; all other paths require a key as `Authorization:
 * Bearer`, which keeps it out of URLs and inaccessible to other pages.
 */
export async function dashboard(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const { keys, audience, fleet, clock, simulated, languages, log } = options
  const page = pageDocument({
    title: 'Dashboard · Dragoman',
    module: 'web/dashboard/page/dashboard',
    styles: ['web/dashboard/page/dashboard.css', 'web/dashboard/page/rooms.css'],
    body: 'web/dashboard/page/dashboard.html',
  })
  app.get('/', (_request, reply) => reply.headers(PAGE_HEADERS).send(page))
  app.addHook('onClose', async () => audience[Symbol.dispose]())

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

    scope.get('/events', options, (request, reply) => {
      const outlet = new EventStreamResponse(reply)
      const viewing = audience.add(outlet)
      if (!viewing) throw new ControlError('too_many_readers', 'too many dashboard viewers; retry later')
      const { authorization = '' } = request.headers
      const nodes =
        fleet && !(FORWARDED in request.headers)
          ? NodeStreams.start({ fleet, clock }, { outlet, authorization, address: request.ip })
          : undefined
      outlet.open(() => {
        viewing[Symbol.dispose]()
        nodes?.[Symbol.dispose]()
      })
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
    scope.get('/calls/:call/phones/:phone/sound', options, (request, reply) => {
      const { call, phone } = request.params as { call: string; phone: string }
      const outlet = new SoundOutlet(reply)
      const listening = simulatedOf(simulated).listen(call, Number(phone), outlet)
      if (!listening) throw new ControlError('call_unknown')
      outlet.open(() => listening[Symbol.dispose]())
      return reply
    })
  })
}

function simulatedOf(simulated: SimulatedCalls | undefined): SimulatedCalls {
  if (!simulated) throw new ControlError('not_now', 'simulated calls are disabled (dashboard.simulatedCalls)')
  return simulated
}

/** Receives live what a simulated phone hears. */
export interface PhoneListener {
  /** Mono, 16 bit, `SOUND_RATE`; about ten times a second, including silence. Only valid during the call. */
  hear(pcm: Int16Array): void
  /** The phone has hung up. Called once. */
  end(): void
}

/** Simulated phones in calls to this server. Only they can be listened to, because no person would have to consent. */
export interface SimulatedCalls {
  /** Calls in progress. */
  readonly calls: readonly SimulatedCallView[]
  recordings(): Promise<readonly RecordingView[]>
  /** Rejects with `ControlError`: `capacity`, `value_not_allowed`, `not_now`. */
  place(order: SimulatedOrder): Promise<SimulatedCallView>
  /** Resolves to false if there is no such call. */
  end(id: string): Promise<boolean>
  /** Returns undefined if the phone does not exist or has too many listeners. Disposing stops it. */
  listen(id: string, phone: number, listener: PhoneListener): Disposable | undefined
  /** Returns the simulated call to which the peer’s `call` belongs. */
  phoneOf(call: string | undefined): { readonly call: string; readonly phone: number } | null
}

/** Maximum unread bytes of a listener: a second of audio. More is skipped to stay live. */
const MOST_UNREAD = 16_000

/** A response that stays open with the audio that a simulated phone hears: 16 bit little-endian, mono, `SOUND_RATE`. */
class SoundOutlet implements PhoneListener {
  /** Chunks skipped. */
  skipped = 0
  readonly #reply: FastifyReply
  #open = false

  constructor(reply: FastifyReply) {
    this.#reply = reply
  }

  /** Takes the response over from the framework. `gone` is called once it has ended. */
  open(gone: () => void): void {
    const { raw } = this.#reply.hijack()
    raw.on('close', gone)
    raw.on('error', () => raw.destroy())
    raw.writeHead(200, {
      'content-type': 'application/octet-stream',
      'cache-control': 'no-store',
      ...SECURITY_HEADERS,
      'x-accel-buffering': 'no',
    })
    raw.flushHeaders()
    this.#open = true
  }

  hear(pcm: Int16Array): void {
    const { raw } = this.#reply
    if (!this.#open) return
    if (raw.writableLength > MOST_UNREAD) this.skipped++
    // A copy, because the network reads it later.
    else raw.write(Buffer.from(Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)))
  }

  end(): void {
    this.#reply.raw.end()
  }
}
