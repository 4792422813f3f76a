import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  type ApiDescription,
  jsonSchema,
  type OperationDescription,
  schemaParameters,
} from '../../net/openapi.ts'
import { addOpenApiRoutes } from '../../net/openapi-page.ts'
import { markAuthenticated, vouchForGuest } from '../../net/request-guard.ts'
import { sendErrorPage } from '../../pages/error-page.ts'
import { BearerKeys, linkOf } from './auth.ts'
import type { ControlContext } from './control-context.ts'
import { controlErrorPage } from './error-pages.ts'
import { ControlError, ERROR_TABLE, type ErrorName, fromFramework } from './errors.ts'
import { Idempotency } from './idempotency.ts'
import { type AnyOperation, operation } from './operation.ts'
import { play, say, stopAnnouncement } from './operations/announcements.ts'
import { dial, getCall, hangUpCall, listCalls } from './operations/calls.ts'
import { linkCaptions, readCaptions, revokeLinks } from './operations/captions.ts'
import { getFleet } from './operations/fleet.ts'
import {
  createCode,
  linkListeners,
  linkRoom,
  listCodes,
  revokeCode,
  revokeListenLinks,
  revokeRoomLinks,
} from './operations/join.ts'
import {
  changeParticipant,
  getParticipant,
  hangUpParticipant,
  listParticipants,
} from './operations/participants.ts'
import { getRecording, pauseRecording, startRecording, stopRecording } from './operations/recordings.ts'
import { createRoom, endRoomNow, getRoom, listRooms } from './operations/rooms.ts'
import {
  deleteTranscript,
  forgetRoomTranscript,
  getTranscript,
  listTranscripts,
  roomTranscript,
} from './operations/transcripts.ts'
import { answer, logFault } from './request-handler.ts'
import { errorSchema, webhookSchema } from './schemas.ts'
import type { ControlSettings } from './settings.ts'

const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  group: 'Webhooks',
  summary: 'Gets the state of the webhook receivers',
  about: 'The receivers of the settings (`webhooks`), by name, without addresses and secrets.',
  status: 200,
  answer: z.strictObject({ webhooks: z.array(webhookSchema) }),
  errors: [],
  run: context => ({ webhooks: context.webhooks.stats }),
})

/** All operations of the control API, in the order of its description. A route that is missing here fails a test. */
export const OPERATIONS: readonly AnyOperation[] = [
  createRoom,
  listRooms,
  getRoom,
  endRoomNow,
  listParticipants,
  getParticipant,
  changeParticipant,
  hangUpParticipant,
  dial,
  listCalls,
  getCall,
  hangUpCall,
  createCode,
  listCodes,
  revokeCode,
  linkRoom,
  revokeRoomLinks,
  linkListeners,
  revokeListenLinks,
  say,
  play,
  stopAnnouncement,
  readCaptions,
  linkCaptions,
  revokeLinks,
  roomTranscript,
  forgetRoomTranscript,
  listTranscripts,
  getTranscript,
  deleteTranscript,
  startRecording,
  getRecording,
  pauseRecording,
  stopRecording,
  listWebhooks,
  getFleet,
]

export interface ControlApiOptions {
  readonly context: ControlContext
  readonly settings: ControlSettings
  /** The keys of `settings`, if they are shared with other routes. Default: created here. */
  readonly keys?: BearerKeys
}

const MAX_BODY = 65_536
/** Used instead of the name of a key; no key can have it, because it contains a space. */
const LINK = 'by link'

/**
 * The control API: everything under the prefix with which it is registered (`/v1`). Without a key in the settings,
 * every path responds with 404 `control_closed`.
 */
export async function controlApi(
  app: FastifyInstance,
  { context, settings, keys = new BearerKeys(settings, context.clock) }: ControlApiOptions,
): Promise<void> {
  const idempotency = new Idempotency(context.clock, { fleet: context.fleet })
  app.addHook('onClose', async () => idempotency[Symbol.dispose]())
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: MAX_BODY },
    (request, body, done) => {
      if (body === '') done(null, undefined)
      else app.getDefaultJsonParser('error', 'error')(request, body as string, done)
    },
  )
  app.setErrorHandler((error: FastifyError, request, reply) => refuse(request, reply, error, context))
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })
  if (settings.keys.length === 0) {
    app.setNotFoundHandler(() => {
      throw new ControlError('control_closed')
    })
    return
  }

  addOpenApiRoutes(app, controlDescription(OPERATIONS), { exposeHeadRoute: false })
  for (const operation of OPERATIONS) {
    const { method, path } = operation
    // Authentication precedes reading the body.
    const holders = new WeakMap<FastifyRequest, string>()
    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: false,
      config: { proof: 'headers' },
      onRequest: async request => {
        const holder = await holderOf(operation, request, keys, context)
        holders.set(request, holder)
        if (holder !== LINK) markAuthenticated(request.raw)
        else if (!vouchForGuest(request.raw))
          throw new ControlError('too_many_readers', undefined, { 'retry-after': '1' })
      },
      handler: async (request, reply) => {
        const node = await context.forwarding?.target(request)
        if (node) {
          await context.forwarding?.forward(node, request, reply)
          return reply
        }
        const { room } = request.params as { room?: string }
        if (room !== undefined && !context.relay.rooms.has(room)) await context.plans.learn(room)
        await answer(operation, context, idempotency, holders.get(request) ?? '', request, reply)
        return reply
      },
    })
  }
  app.setNotFoundHandler((request: FastifyRequest) => {
    throw notFound(request)
  })
}

/** Resolves to the name of the key or link. Rejects if neither is valid. */
async function holderOf(
  { access = 'key' }: AnyOperation,
  request: FastifyRequest,
  keys: BearerKeys,
  { links }: ControlContext,
): Promise<string> {
  const { authorization } = request.headers
  const { token } = request.query as { token?: unknown }
  const { room } = request.params as { room?: string }
  if (access === 'link' && room !== undefined && linkOf(request, room, links) !== undefined) {
    // Another node can have revoked it.
    await links.learn(room)
    if (linkOf(request, room, links) !== undefined) return LINK
  }
  if (access === 'link' && authorization === undefined && typeof token === 'string')
    throw keys.refused(request.ip)
  return keys.holderOf(authorization, request.ip)
}

/** The path does not exist, or has other methods. */
function notFound({ method, url }: FastifyRequest): ControlError {
  const path = url.split('?')[0]!.replace(/^\/v1/, '')
  const there = OPERATIONS.filter(each => matches(each.path, path)).map(each => each.method)
  if (there.length === 0 || there.includes(method as never)) return new ControlError('path_unknown')
  return new ControlError('method_not_allowed', undefined, { allow: there.join(', ') })
}

function matches(pattern: string, path: string): boolean {
  const [parts, given] = [pattern.split('/'), path.split('/')]
  return (
    parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
  )
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: Error & { statusCode?: number },
  context: ControlContext,
): void {
  const failure = fromFramework(error)
  if (failure.specific === 'unexpected') logFault(context, undefined, error)
  void reply.headers(failure.headers).header('vary', 'accept')
  const page = controlErrorPage(request, failure)
  if (page) void sendErrorPage(request, reply, page)
  else void reply.status(failure.status).send(failure.body)
}

const ABOUT = `Rooms, participants, calls, sounds, captions and transcripts of a bridge. Requests carry a key:
\`Authorization: Bearer <key>\`. Every error is \`{ code, error, description }\`. Requests other than GET accept an
\`Idempotency-Key\`: a repeated request within 24 hours returns the first response and has no further effect.`

/** Errors of every request. */
export const COMMON_ERRORS: readonly ErrorName[] = [
  'key_missing',
  'key_wrong',
  'too_many_attempts',
  'too_many_requests',
  'request_malformed',
  'value_not_allowed',
  'field_unknown',
  'fleet_away',
  'unexpected',
]
/** Errors of every request with a body. */
const BODY_ERRORS: readonly ErrorName[] = ['not_json', 'too_large']

/** Returns the errors that `operation` can return. */
export function errorsOf(operation: AnyOperation): readonly ErrorName[] {
  const changes = operation.method !== 'GET'
  return [
    ...COMMON_ERRORS,
    ...(changes ? [...BODY_ERRORS, 'idempotency_reused' as const, 'capacity' as const] : []),
    ...operation.errors,
  ].filter((name, index, all) => all.indexOf(name) === index)
}

/** Returns the description of the control API. */
function controlDescription(operations: readonly AnyOperation[]): ApiDescription {
  return {
    title: 'Dragoman control API',
    about: ABOUT,
    base: '/v1',
    document: '/openapi.json',
    page: '/docs',
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      link: { type: 'apiKey', in: 'query', name: 'token' },
    },
    security: [{ bearer: [] }],
    error: errorSchema,
    operations: operations.map(describe),
  }
}

function describe(operation: AnyOperation): OperationDescription {
  const { access, params, query, body, method, answer, types = [] } = operation
  return {
    ...operation,
    ...(access === 'link' && { security: [{ bearer: [] }, { link: [] }] }),
    parameters: [
      ...schemaParameters(params, 'path'),
      // The link token is a security scheme.
      ...schemaParameters(query, 'query').filter(({ name }) => name !== 'token'),
      ...(method === 'GET' ? [] : [IDEMPOTENCY]),
    ],
    body: body && {
      type: 'application/json',
      required: !body.safeParse(undefined).success,
      schema: jsonSchema(body, 'input'),
    },
    answers: {
      ...(answer && { 'application/json': jsonSchema(answer) }),
      ...Object.fromEntries(types.map(type => [type, { type: 'string' }])),
    },
    errors: errorsOf(operation).map(name => ({ name, ...ERROR_TABLE[name] })),
  }
}

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
} as const
