import { randomUUID } from 'node:crypto'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { systemClock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { type HostPlugin, hostPlugin, mountPath } from '../../net/host-plugin.ts'
import { vouchFor } from '../../net/proof.ts'
import { onlyDescribe, routeSchema } from '../../net/route-schema.ts'
import { Entrance } from '../telephony/call-admission.ts'
import { Calls } from '../telephony/calls.ts'
import { DEFAULT_LIMITS } from '../telephony/limits.ts'
import { Media } from '../telephony/media-streams.ts'
import { Menu } from '../telephony/menu.ts'
import { Prompts } from '../telephony/prompts.ts'
import { PublicUrl } from '../telephony/public-url.ts'
import { StreamTokens } from '../telephony/stream-tokens.ts'
import { SocketRoutes } from '../websocket/socket-routes.ts'
import { DialWebhooks } from './dial-webhooks.ts'
import { type Gate, LoopbackGate, SignatureGate } from './gate.ts'
import { type TwilioBridgeOptions, twilioBridgeOptionsSchema } from './options.ts'
import { WEBHOOKS } from './route-words.ts'
import { Webhooks } from './webhooks.ts'

export type { HostPlugin } from '../../net/host-plugin.ts'
export { RESUMES_FIELD } from '../telephony/call-admission.ts'
export { CLOSE_CODES, type CloseCause } from '../telephony/close-codes.ts'
export { LegCounters } from '../telephony/counters.ts'
export { DEFAULT_LIMITS, type TwilioLimits } from '../telephony/limits.ts'
export { type DestinationFault, destinationFault } from '../telephony/outbound/destination.ts'
export { DialCounters } from '../telephony/outbound/dial-counters.ts'
export { type DiallerParts, type OutboundSettings, TwilioDialler } from '../telephony/outbound/dialler.ts'
export { RestFailure } from '../telephony/outbound/rest-failure.ts'
export type { Answers, Question, SpokenNotice } from '../telephony/question.ts'
export type { TwilioLeg } from '../telephony/stream-leg.ts'
export { type CallOrder, type CallsApi, TwilioCallsApi } from './calls-api.ts'
export type { Departure, IncomingCall, Refusal, TwilioBridgeOptions } from './options.ts'
export type { RestSettings } from './rest-settings.ts'
export { sign } from './signature.ts'
export type { Spoken } from './twiml.ts'

/** State of the bridge, as `app.twilio`. */
export type TwilioBridge = Pick<
  Media,
  'legs' | 'refused' | 'counters' | 'replaced' | 'heldOff' | 'expected' | 'goesOn' | 'handOver'
>

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the Twilio bridge is registered. */
    twilio: TwilioBridge
  }
}

const MAX_BODY = 65_536

async function register(app: FastifyInstance, options: TwilioBridgeOptions): Promise<void> {
  const { clock = systemClock, log = app.log, path = '/twilio', prefix = '', relay, dialler } = options
  /** Path of the routes, below the public address. */
  const mount = mountPath(app.prefix, prefix, path)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const publicUrl = publicUrlOf(app, options)
  const gate = gateOf(options, publicUrl)
  if (options.insecure) log.warn({}, 'INSECURE: accepting unverified requests from this machine only')

  const calls = new Calls(clock, limits)
  const tokens = new StreamTokens(clock, limits.tokenTtlMs)
  const now = () => clock.now()
  const prompts = promptsOf(options, name => publicUrl().http(`${mount}/menu/sound/${name}`))
  const menu = prompts && new Menu(prompts, query => publicUrl().http(`${mount}/menu?${query}`))
  const { departure = () => undefined } = options
  const terms = { calls, tokens, publicUrl, mount, limits, log, now, menu, departure }
  const entrance = new Entrance(options, terms)
  const webhooks = new Webhooks(entrance, terms)
  const dialWebhooks = new DialWebhooks(dialler, entrance, webhooks)
  dialler?.attach({
    url: name => publicUrl().http(`${mount}/dial/${name}`),
    release: callSid => calls.get(callSid)?.end(clock.now()),
  })
  const lives = dialler && ((callSid: string) => dialler.lives(callSid))
  const media = new Media({
    relay,
    calls,
    tokens,
    clock,
    log,
    limits,
    lives,
    letGo: () => dialler?.handOver(),
  })
  app.decorate<TwilioBridge>('twilio', media)
  app.addHook('preClose', async () => {
    await Promise.all([media.close(), dialler?.close()])
  })

  const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    log.warn({ route: request.routeOptions.url }, 'request rejected: invalid signature')
    return reply.code(403).send()
  }

  // In a separate scope, so that the form parser applies only to these routes.
  await app.register(
    async scope => {
      onlyDescribe(scope)
      scope.removeAllContentTypeParsers()
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const status = error.statusCode ?? 500
        log.warn({ route: request.routeOptions.url, status, code: error.code }, 'request rejected: malformed')
        return reply.code(status).send()
      })
      await scope.register(formbody, { bodyLimit: MAX_BODY })
      const preValidation = async (request: FastifyRequest, reply: FastifyReply) =>
        gate.webhook(request) ? vouchFor(request.raw) : refuse(request, reply)
      const post = (
        name: keyof typeof WEBHOOKS,
        handle: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
      ) =>
        scope.post(
          `${path}/${name}`,
          { preValidation, bodyLimit: MAX_BODY, schema: routeSchema({ tag: 'twilio', ...WEBHOOKS[name] }) },
          handle,
        )
      for (const name of ['voice', 'resume', 'status', 'menu'] as const)
        post(name, (request, reply) => webhooks[name](request, reply))
      for (const name of ['answer', 'status', 'machine'] as const)
        post(`dial/${name}`, (request, reply) => dialWebhooks[name](request, reply))
      if (prompts)
        scope.get(
          `${path}/menu/sound/:signature/:notice/:language.wav`,
          {
            schema: routeSchema({ tag: 'twilio', summary: 'Audio of a menu prompt.', answers: 'audio/wav' }),
          },
          (request, reply) => prompts.serve(request, reply),
        )
      const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
        gate.upgrade(request, `${mount}/media`) ? vouchFor(request.raw) : refuse(request, reply)
      const sockets = new SocketRoutes(scope, { maxPayload: limits.maxMessageBytes })
      for (const url of [`${path}/media`, `${path}/media/`])
        sockets.route({ url, onRequest, accept: socket => media.accept(socket) })
    },
    { prefix },
  )
}

function publicUrlOf(
  app: FastifyInstance,
  { publicUrl, insecure = false, local = false }: TwilioBridgeOptions,
): () => PublicUrl {
  if (publicUrl !== undefined) {
    const fixed = new PublicUrl(publicUrl, { allowHttp: insecure })
    return () => fixed
  }
  if (!insecure && !local)
    throw new BridgeError(
      'CONFIG',
      'the Twilio bridge needs publicUrl: the https:// address that Twilio calls',
    )
  return () => {
    const address = app.server.address()
    const port = typeof address === 'object' && address ? address.port : 80
    return new PublicUrl(`http://127.0.0.1:${port}`, { allowHttp: true })
  }
}

function gateOf(
  { authTokens = [], insecure = false }: TwilioBridgeOptions,
  publicUrl: () => PublicUrl,
): Gate {
  if (insecure) {
    if (authTokens.length > 0)
      throw new BridgeError('CONFIG', 'authTokens and insecure are mutually exclusive')
    return new LoopbackGate()
  }
  if (authTokens.length === 0 || authTokens.some(token => token === ''))
    throw new BridgeError(
      'CONFIG',
      'the Twilio bridge needs an auth token; set insecure: true to run without one',
    )
  return new SignatureGate(authTokens, publicUrl)
}

/**
 * Prompt addresses are signed with the auth tokens, so that all instances agree; without tokens, with a secret of
 * this process.
 */
function promptsOf(
  { announcer, authTokens = [] }: TwilioBridgeOptions,
  url: (path: string) => string,
): Prompts | undefined {
  if (!announcer) return undefined
  return new Prompts({ announcer, keys: authTokens.length > 0 ? authTokens : [randomUUID()], url })
}

/**
 * Connects Twilio Media Streams as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and `dial/…`,
 * and the socket `media`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 */
const twilioBridge: HostPlugin<TwilioBridgeOptions> = hostPlugin(
  'twilio-bridge',
  twilioBridgeOptionsSchema,
  register,
)
export default twilioBridge
