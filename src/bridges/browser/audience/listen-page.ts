import type { FastifyInstance } from 'fastify'
import { routeSchema } from '../../../net/openapi.ts'
import { sendError } from '../../../pages/error-page.ts'
import { localizedPage, PAGE_HEADERS } from '../../../pages/page-document.ts'
import { type OriginCheck, unknownHost } from '../origin-check.ts'

/** Path of the page for listening; its socket is below it. */
export const LISTEN_PATH = '/listen'

/** A listener who reads slowly misses audio above two seconds of it, and is disconnected far above that (bytes). */
export const LISTENER_LIMITS = { congestedBytes: 16_384, maxUnsentBytes: 131_072 }

export interface ListenPageOptions {
  readonly originCheck: OriginCheck
  /** Path of the page’s files after the prefixes of all routes. */
  readonly files: string
}

/** Serves the page for listening. It contains nothing about a room: the link is in the fragment, which browsers never send. */
export function listenPage(scope: FastifyInstance, { originCheck, files }: ListenPageOptions): void {
  const page = localizedPage({
    part: 'listen',
    module: 'bridges/browser/audience/page/listen',
    styles: ['bridges/browser/audience/page/listen.css'],
    body: 'bridges/browser/audience/page/listen.html',
    files: `.${files}`,
    root: './',
  })
  const words = { tag: 'talk', summary: 'The page for listening.', answers: 'text/html' }
  scope.get(LISTEN_PATH, { schema: routeSchema(words) }, (request, reply) => {
    if (!originCheck.knowsHost(request)) return sendError(request, reply, unknownHost(request))
    return reply
      .headers({ ...PAGE_HEADERS, vary: 'accept-language' })
      .send(page(request.headers['accept-language']))
  })
}
