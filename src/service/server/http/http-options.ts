import type { ServerOptions } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { httpLimits } from '../../../net/guarded-server.ts'
import type { ServerLimits } from '../../../net/settings.ts'
import { ServiceError } from '../service-error.ts'
import { watchAnswers } from './malformed-answer.ts'

/** Path of Socket.IO. */
const SOCKETS = '/socket.io/'

/**
 * HTTP server options that let the service answer every invalid request with an error of the table instead of the
 * library's bare response: requests without `Host` or with `Expect` reach the service, and only a GET of Socket.IO's
 * own path can be upgraded.
 */
export function httpOptions(limits: Pick<ServerLimits, 'headersMs'>): ServerOptions {
  return {
    ...httpLimits(limits),
    requireHostHeader: false,
    shouldUpgradeCallback: ({ method, url }) => method === 'GET' && url?.startsWith(SOCKETS) === true,
  }
}

/** Restores the checks that `httpOptions` disables in the library. */
export function addHttpRules(app: FastifyInstance): void {
  watchAnswers(app.server)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
      throw new ServiceError('request_malformed', 'the header Host is missing')
  })
}
