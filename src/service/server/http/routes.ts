import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../../../common/log.ts'
import { isoTime } from '../../../common/wall-clock.ts'
import { markAuthenticated } from '../../../net/request-guard.ts'
import type { EngineSet } from '../../engines/engine-set.ts'
import type { Batch } from '../batch/batch.ts'
import { notMultipart } from '../batch/job-form.ts'
import type { LoadMonitor, SessionSlots } from '../capacity.ts'
import { type ErrorCounts, ServiceError, toServiceError } from '../errors.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { KeyUsage } from '../keys/key-holder.ts'
import type { KeyWatch } from '../keys/key-watch.ts'
import { knownQuery, type Query } from '../query.ts'
import { type AudioStreams, STREAM_ORIGINS, STREAM_PATH } from '../session/audio-stream.ts'
import type { Catalog } from '../voice-catalog.ts'
import { voiceFilter } from './parameters.ts'

export interface RouteOptions {
  readonly keys: ApiKeys
  /** Undefined without a key file. */
  readonly watch: KeyWatch | undefined
  readonly catalog: Catalog
  readonly engines: EngineSet
  readonly admission: SessionSlots
  readonly workload: LoadMonitor
  readonly batch: Batch
  readonly log: Logger
  readonly errors: ErrorCounts
}

/** Adds the HTTP routes of the interface, and `/health`. Every error is `{ code, error, description }`. */
export function addRoutes(
  app: FastifyInstance,
  { keys, watch, catalog, engines, admission, workload, batch, log, errors }: RouteOptions,
): void {
  app.get('/health', () => ({
    status: 'ok',
    sessions: admission.taken,
    maxSessions: admission.size,
    behindMs: Math.round(workload.latelyMs),
    busy: Math.round(workload.busy * 100) / 100,
    ...(watch ? { keyFile: { status: watch.status, revision: watch.revision } } : {}),
    engines: {
      transcription: engines.speechToText.map(engine => engine.name),
      translation: engines.translators.map(engine => engine.name),
      synthesis: engines.synthesizers.map(engine => engine.name),
      interpretation: engines.interpreters.map(engine => engine.name),
    },
    understood: catalog.languages.flatMap(({ languageId, transcription }) =>
      transcription ? [languageId] : [],
    ),
    spoken: catalog.languages.flatMap(({ languageId, synthesis }) => (synthesis ? [languageId] : [])),
    standIns: engines.usage.standIns.map(({ since, ...standIn }) => ({
      ...standIn,
      since: isoTime(since),
    })),
    missing: engines.usage.missing,
  }))

  // No route reads any other body than a form, which its own scope parses. The framework's parsers would reject a body
  // before the route can say what it expects.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.register(async api => {
    const holders = new WeakMap<FastifyRequest, KeyUsage>()
    await api.register(multipart)
    api.addHook('onRequest', async request => {
      holders.set(request, keys.holderOf(request.headers['x-api-key'], 'the header x-api-key', request.ip))
      markAuthenticated(request.raw)
    })
    const options = { config: { proof: 'headers' } } as const
    api.get('/api/languages', options, (request: FastifyRequest) => {
      knownQuery(request.query as Query, [])
      return catalog.languages
    })
    api.get('/api/voices', options, (request: FastifyRequest) =>
      catalog.voices(voiceFilter(request.query as Query)),
    )
    api.post('/api/batch/file', options, (request, reply) =>
      batch.answer(request, reply, holders.get(request)!),
    )
  })

  app.setNotFoundHandler(request => {
    throw pathUnknown(request)
  })
  app.setErrorHandler((error: FrameworkError, request, reply) => {
    // A header that is no media type at all.
    const noMediaType = error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    const failure = !noMediaType ? error : request.is404 ? pathUnknown(request) : notMultipart(request)
    errors.count(answerFailed(failure, reply, log).specific)
  })
}

function pathUnknown({ method, url }: FastifyRequest): ServiceError {
  return new ServiceError('path_unknown', `no route for ${method} ${url.split('?')[0]}`)
}

type FrameworkError = Error & { readonly statusCode?: number; readonly code?: string }

/** Sends the response for a failed request; failures that the client did not cause are logged. */
export function answerFailed(error: FrameworkError, reply: FastifyReply, log: Logger): ServiceError {
  const known = fromFastify(error)
  if (known.status >= 500) log.error({ err: error.name, reason: error.message }, 'request failed')
  if (known.retryAfterMs !== undefined) void reply.header('retry-after', Math.ceil(known.retryAfterMs / 1000))
  void reply.status(known.status).send(known.data)
  return known
}

/** The framework's own rejections (an unparseable body, an undecodable URL) are client errors. */
function fromFastify(error: FrameworkError): ServiceError {
  const { statusCode = 500 } = error
  if (error instanceof ServiceError || statusCode >= 500) return toServiceError(error)
  return new ServiceError('request_malformed', error.message)
}

const HEADERS = {
  ...STREAM_ORIGINS,
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
    markAuthenticated(request.raw)
    return stream
  }
  // The path is the secret.
  const config = { proof: 'later' } as const
  app.head(path, { config }, (request, reply) => {
    found(request)
    return reply.headers(HEADERS).send()
  })
  app.get(path, { config, exposeHeadRoute: false }, (request, reply) =>
    reply.headers(HEADERS).send(found(request).open()),
  )
}
