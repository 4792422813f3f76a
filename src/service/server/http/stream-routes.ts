import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../service-error.ts'
import { type AudioStreams, STREAM_PATH } from '../session/audio-streams.ts'

const HEADERS = {
  'content-type': 'audio/mpeg',
  'cache-control': 'no-store',
  'accept-ranges': 'none',
  'x-content-type-options': 'nosniff',
  // The path is a secret that must not leak to other pages.
  'referrer-policy': 'no-referrer',
}

/**
 * Adds the streamed audio: `HEAD` succeeds while a session streams at the path, `GET` returns its mp3 for as long as
 * the session lasts.
 */
export function addStreamRoutes(app: FastifyInstance, streams: AudioStreams): void {
  const path = `${STREAM_PATH}:name`
  const found = (request: FastifyRequest) => {
    const stream = streams.find((request.params as { name: string }).name)
    if (!stream) throw new ServiceError('stream_unknown', 'no open session streams audio at this path')
    return stream
  }
  app.head(path, (request, reply) => {
    found(request)
    return reply.headers(HEADERS).send()
  })
  app.get(path, { exposeHeadRoute: false }, (request, reply) =>
    reply.headers(HEADERS).send(found(request).open()),
  )
}
