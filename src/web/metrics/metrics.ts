import type { FastifyError, FastifyInstance } from 'fastify'
import { vouchFor } from '../../net/proof.ts'
import type { BearerKeys } from '../control/bearer-keys.ts'
import { fromFramework } from '../control/control-error.ts'
import type { Exposition } from './exposition.ts'
import { admitReader } from './metrics-access.ts'
import type { MetricsSettings } from './settings.ts'

export interface MetricsOptions {
  readonly exposition: Exposition
  readonly settings: MetricsSettings
  /** Keys of the control API; undefined if there are none. */
  readonly keys: BearerKeys | undefined
}

/** `GET /metrics` for Prometheus. */
export async function metrics(
  app: FastifyInstance,
  { exposition, settings, keys }: MetricsOptions,
): Promise<void> {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const failure = fromFramework(error)
    return reply.status(failure.status).headers(failure.headers).send(failure.body)
  })
  app.get(
    '/metrics',
    {
      onRequest: async request => {
        admitReader(request, settings.access, keys)
        if (settings.access !== 'open') vouchFor(request.raw)
      },
    },
    async (_request, reply) => {
      const text = await exposition.text()
      return reply.headers({ 'cache-control': 'no-store', 'content-type': exposition.contentType }).send(text)
    },
  )
}
