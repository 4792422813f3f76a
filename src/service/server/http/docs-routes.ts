import type { FastifyInstance } from 'fastify'
import { contentPolicy } from '../../../net/security-headers.ts'
import type { ServiceSettings } from '../service-config.ts'
import { docsPage } from './docs-page.ts'
import { openApi } from './openapi.ts'

/** Adds `GET /docs` and `GET /docs/json`: the interface and its limits. Rendered once. */
export function addDocsRoutes(app: FastifyInstance, settings: ServiceSettings): void {
  const page = docsPage(settings)
  const document = JSON.stringify(openApi(settings))
  const headers = {
    'content-security-policy': contentPolicy("style-src 'unsafe-inline'"),
  }
  app.get('/docs', (_request, reply) => reply.headers(headers).type('text/html; charset=utf-8').send(page))
  app.get('/docs/json', (_request, reply) =>
    reply.headers(headers).type('application/json; charset=utf-8').send(document),
  )
}
