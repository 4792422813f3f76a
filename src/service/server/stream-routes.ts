import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AudioStreams, STREAM_PATH } from './audio-streams.ts'
import { ServiceError } from './service-error.ts'

const HEADERS = {
  'content-type': 'audio/mpeg',
  'cache-control': 'no-store',
  'accept-ranges': 'none',
  'x-content-type-options': 'nosniff',
  // The path is a secret that no other page needs to know.
  'referrer-policy': 'no-referrer',
}

/** Streamed audio: `HEAD` tells that a session streams here, `GET` is its mp3, as long as the session lasts. */
export function addStreamRoutes(app: FastifyInstance, streams: AudioStreams): void {
  const path = `${STREAM_PATH}:name`
  const found = (request: FastifyRequest) => {
    const stream = streams.find((request.params as { name: string }).name)
    if (!stream) throw new ServiceError('stream_unknown', 'no open session streams its audio here')
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
