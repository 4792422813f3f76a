import { randomUUID } from 'node:crypto'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Clock, systemClock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { Logger } from '../../common/log.ts'
import { callable, having } from '../../common/setting-fields.ts'
import type { Announcer } from '../../core/model/announcer.ts'
import type { Admission, Invitation } from '../../core/model/invitation.ts'
import { type HostPlugin, hostPlugin, mountPath } from '../../net/host-plugin.ts'
import { vouchFor } from '../../net/request-guard.ts'
import { onlyDescribe, routeSchema } from '../../net/route-schema.ts'
import { CallAdmission } from '../telephony/call-admission.ts'
import { CallRegistry } from '../telephony/call-registry.ts'
import type { CallerPrompt, DrainState, IncomingCall, Rejection, Spoken } from '../telephony/incoming-call.ts'
import { DEFAULT_LIMITS, type StreamLimits, twilioLimitsSchema } from '../telephony/limits.ts'
import { MediaStreams } from '../telephony/media-streams.ts'
import { Menu, Prompts } from '../telephony/menu.ts'
import type { CarrierDialer } from '../telephony/outbound/carrier-dialer.ts'
import { PublicUrl } from '../telephony/public-url.ts'
import { StreamTokens } from '../telephony/stream-tokens.ts'
import { SocketRoutes } from '../websocket/socket-routes.ts'
import { LocalOnlyVerifier, type RequestVerifier, SignatureVerifier } from './signature.ts'
import { twiml } from './twiml.ts'
import { DialWebhooks, WEBHOOKS, Webhooks } from './webhooks.ts'
import { twilioMedia } from './wire.ts'

/** Options of the bridge. The caller keeps ownership of all objects. */
export interface TwilioBridgeOptions {
  /** Admits the legs. */
  readonly relay: Admission
  /**
   * Public address such as `https://bridge.example.com`, configured at Twilio and covered by its signatures. Optional
   * only with `insecure` or `local`; the listening address is used then.
   */
  readonly publicUrl?: string
  /** Auth tokens of the account; several during rotation. */
  readonly authTokens?: readonly string[]
  /** Accepts unsigned requests from this machine only, for demonstrations and tests. Excludes `authTokens`. */
  readonly insecure?: boolean
  /**
   * Accepts signed requests for the loopback listening address, without `publicUrl`. For a bridge without an account.
   */
  readonly local?: boolean
  /**
   * Decides on each new call: its room and languages, or a question to the caller by menu. Synchronous, since Twilio
   * waits; must not throw.
   */
  readonly invite: (call: IncomingCall) => Invitation | Rejection | CallerPrompt
  /** Speaks menus and notices; required for questions. */
  readonly announcer?: Announcer
  /** Places outbound calls; the bridge handles their webhooks and closes the dialer. */
  readonly dialler?: CarrierDialer
  /** Set while the server is shutting down: calls known only to another server are redirected. */
  readonly departure?: () => DrainState | undefined
  readonly clock?: Clock
  readonly log?: Logger
  /** Prefix of all routes and of the addresses passed to Twilio, after the prefix of an enclosing scope. */
  readonly prefix?: string
  /** Path of the routes after all prefixes; default `/twilio`. */
  readonly path?: string
  /** Spoken when a call cannot be translated. */
  readonly apology?: Spoken
  readonly limits?: Partial<StreamLimits>
}

/**
 * Validates the options when the plugin is registered. Combinations and addresses are checked where they are used.
 */
const twilioBridgeOptionsSchema = z.strictObject({
  relay: having('the relay or policy that admits legs', 'admit'),
  publicUrl: z.string('the https:// address that Twilio calls').optional(),
  authTokens: z.array(z.string('an auth token'), "a list of the account's auth tokens").optional(),
  insecure: z.boolean('true or false').optional(),
  local: z.boolean('true or false').optional(),
  invite: callable('it decides on each new call'),
  announcer: having('the announcer of menus and notices', 'notice').optional(),
  dialler: having('the dialer for outbound calls', 'dial', 'attach').optional(),
  departure: callable('it returns the state of a shutdown').optional(),
  clock: having('a clock', 'now').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
  prefix: z.string('a path such as /calls').optional(),
  path: z.string('a path such as /twilio').optional(),
  apology: z.object({ text: z.string('words to speak') }, 'an object with text').optional(),
  limits: twilioLimitsSchema.optional(),
} satisfies Record<keyof TwilioBridgeOptions, z.ZodType>)

export type { HostPlugin } from '../../net/host-plugin.ts'
export type {
  Answers,
  CallerPrompt,
  DrainState,
  IncomingCall,
  Rejection,
  Spoken,
  SpokenNotice,
} from '../telephony/incoming-call.ts'

export { DEFAULT_LIMITS, type StreamLimits } from '../telephony/limits.ts'
export { type CallOrder, type CarrierApi, CarrierError } from '../telephony/outbound/carrier-api.ts'
export {
  CarrierDialer,
  type DestinationFault,
  DialCounters,
  type DiallerOptions,
  destinationFault,
  type OutboundSettings,
} from '../telephony/outbound/carrier-dialer.ts'
export { RESUMES_FIELD } from '../telephony/resumption.ts'
export type { StreamLeg } from '../telephony/stream-leg.ts'
export { CLOSE_CODES, type CloseCause, LegCounters } from '../telephony/stream-socket.ts'
export { TwilioCallsApi } from './calls-api.ts'
export type { RestSettings } from './rest-settings.ts'
export { sign } from './signature.ts'

/** State of the bridge, as `app.twilio`. */
export type TwilioBridge = Pick<
  MediaStreams,
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

  const calls = new CallRegistry(clock, limits)
  const tokens = new StreamTokens(clock, limits.tokenTtlMs)
  const now = () => clock.now()
  const prompts = promptsOf(options, name => publicUrl().http(`${mount}/menu/sound/${name}`))
  const menu = prompts && new Menu(twiml, prompts, query => publicUrl().http(`${mount}/menu?${query}`))
  const { departure = () => undefined } = options
  const { invite, apology } = options
  const terms = {
    instructions: twiml,
    invite,
    apology,
    calls,
    tokens,
    publicUrl,
    mount,
    limits,
    log,
    now,
    menu,
    departure,
  }
  const entrance = new CallAdmission(terms)
  const webhooks = new Webhooks(entrance, terms)
  const dialWebhooks = new DialWebhooks(dialler, entrance, webhooks)
  dialler?.attach({
    url: name => publicUrl().http(`${mount}/dial/${name}`),
    release: callSid => calls.get(callSid)?.end(clock.now()),
  })
  const lives = dialler && ((callSid: string) => dialler.lives(callSid))
  const media = new MediaStreams({
    carrier: 'twilio',
    media: twilioMedia,
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
): RequestVerifier {
  if (insecure) {
    if (authTokens.length > 0)
      throw new BridgeError('CONFIG', 'authTokens and insecure are mutually exclusive')
    return new LocalOnlyVerifier()
  }
  if (authTokens.length === 0 || authTokens.some(token => token === ''))
    throw new BridgeError(
      'CONFIG',
      'the Twilio bridge needs an auth token; set insecure: true to run without one',
    )
  return new SignatureVerifier(authTokens, publicUrl)
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
