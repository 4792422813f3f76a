import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addOpenApiRoutes } from '../../net/openapi-page.ts'
import { markAuthenticated, vouchForGuest } from '../../net/request-guard.ts'
import { BearerKeys, linkOf } from './auth.ts'
import type { ControlContext } from './control-context.ts'
import { ControlError, fromFramework } from './errors.ts'
import { controlDescription } from './openapi.ts'
import type { AnyOperation } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { answer, Idempotency, logFault } from './request-handler.ts'
import type { ControlSettings } from './settings.ts'

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
  const idempotency = new Idempotency(context.clock)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: MAX_BODY },
    (request, body, done) => {
      if (body === '') done(null, undefined)
      else app.getDefaultJsonParser('error', 'error')(request, body as string, done)
    },
  )
  app.setErrorHandler((error: FastifyError, _request, reply) => refuse(reply, error, context))
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
      onRequest: async request => {
        const holder = holderOf(operation, request, keys, context)
        holders.set(request, holder)
        if (holder !== LINK) markAuthenticated(request.raw)
        else if (!vouchForGuest(request.raw))
          throw new ControlError('too_many_readers', undefined, { 'retry-after': '1' })
      },
      handler: async (request, reply) => {
        await answer(operation, context, idempotency, holders.get(request) ?? '', request, reply)
        return reply
      },
    })
  }
  app.setNotFoundHandler((request: FastifyRequest) => {
    throw notFound(request)
  })
}

/** Returns the name of the key or link. Throws if neither is valid. */
function holderOf(
  { access = 'key' }: AnyOperation,
  request: FastifyRequest,
  keys: BearerKeys,
  { links }: ControlContext,
): string {
  const { authorization } = request.headers
  const { token } = request.query as { token?: unknown }
  const { room } = request.params as { room?: string }
  if (access === 'link' && linkOf(request, room, links) !== undefined) return LINK
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

function refuse(reply: FastifyReply, error: Error & { statusCode?: number }, context: ControlContext): void {
  const failure = fromFramework(error)
  if (failure.specific === 'unexpected') logFault(context, undefined, error)
  void reply.status(failure.status).headers(failure.headers).send(failure.body)
}
