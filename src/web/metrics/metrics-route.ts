import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { isLocalRequest } from '../../net/client-address.ts'
import { markAuthenticated } from '../../net/request-guard.ts'
import type { BearerKeys } from '../control/auth.ts'
import { ControlError, fromFramework } from '../control/errors.ts'
import type { MetricsSettings } from '../control/settings.ts'

/** Throws a `ControlError` if `request` is not allowed to read the metrics. `keys`: absent if none are configured. */
function admitReader(
  request: FastifyRequest,
  access: MetricsSettings['access'],
  keys: BearerKeys | undefined,
): void {
  if (access === 'open') return
  const { authorization } = request.headers
  if (access === 'local' && authorization === undefined && isLocalRequest(request.raw)) return
  if (!keys)
    throw new ControlError(
      'control_closed',
      'the metrics require a key (control.keys) or a request from this machine',
    )
  keys.holderOf(authorization, request.ip)
}

export interface MetricsOptions {
  readonly registry: Registry
  readonly settings: MetricsSettings
  /** Keys of the control API; undefined if none are configured. */
  readonly keys: BearerKeys | undefined
}

/** `GET /metrics` for Prometheus. */
export async function metrics(
  app: FastifyInstance,
  { registry, settings, keys }: MetricsOptions,
): Promise<void> {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const failure = fromFramework(error)
    return reply.status(failure.status).headers(failure.headers).send(failure.body)
  })
  app.get(
    '/metrics',
    {
      ...(settings.access === 'open' ? {} : { config: { proof: 'headers' } }),
      onRequest: async request => {
        admitReader(request, settings.access, keys)
        if (settings.access !== 'open') markAuthenticated(request.raw)
      },
    },
    async (_request, reply) => {
      const text = await registry.metrics()
      return reply.headers({ 'cache-control': 'no-store', 'content-type': registry.contentType }).send(text)
    },
  )
}
