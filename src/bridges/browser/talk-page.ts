import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languageId } from '../../common/language.ts'
import type { RoomLinks } from '../../core/calls/room-links.ts'
import { HIDDEN, routeSchema } from '../../net/openapi.ts'
import { rejectsStranger, vouchForGuest } from '../../net/request-guard.ts'
import { sendError, wantsPage } from '../../pages/error-page.ts'
import { localizedPage, PAGE_HEADERS } from '../../pages/page-document.ts'
import type { OfferCache } from './catalog-cache.ts'
import type { BrowserBridgeOptions } from './options.ts'
import { type OriginCheck, unknownHost } from './origin-check.ts'
import type { VisitorReception } from './reception.ts'
import type { BrowserSettings } from './settings.ts'

/** Pieces in which a recording is sent: what a connection that reads nothing costs. */
const CHUNK_BYTES = 16 * 1024
/** The recordings shipped with the package. */
const RECORDINGS_FOLDER = new URL('../../../recordings/', import.meta.url)

/** Prefix of all resources of the page. */
export const TALK_PATH = '/talk'
const RECORDINGS = 'recordings'

/** Headers of the only page that can use the microphone. */
const TALK_HEADERS = { ...PAGE_HEADERS, 'permissions-policy': 'microphone=(self), camera=(), geolocation=()' }

interface Transcript {
  readonly file: string
  readonly language: string
  readonly text: string
}

export interface TalkPageOptions {
  readonly options: BrowserBridgeOptions
  readonly settings: BrowserSettings
  readonly originCheck: OriginCheck
  readonly offer: OfferCache
  readonly links: RoomLinks
  readonly reception: Pick<VisitorReception, 'inviterOf'>
  /** Prefixes of all routes. */
  readonly mount: string
  /** Path of its files after those prefixes. */
  readonly files: string
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

/** Serves the page: its document, the available choices, and recordings to play. */
export function talkPage(
  scope: FastifyInstance,
  { options, settings, originCheck, offer, links, mount, files, onRequest, reception }: TalkPageOptions,
): void {
  const page = (root: string) =>
    localizedPage({
      part: 'talk',
      module: 'bridges/browser/page/talk',
      styles: ['bridges/browser/page/talk.css', 'bridges/browser/page/call.css'],
      body: 'bridges/browser/page/talk.html',
      files: root + files.slice(1),
      root,
    })
  const pages = new Map<string, (accepted?: string) => Buffer>()
  const words = { tag: 'talk', summary: 'The talk page.', answers: 'text/html' }
  scope.get(options.path ?? TALK_PATH, { schema: routeSchema(words) }, (request, reply) => {
    void reply.header('vary', 'accept, accept-language')
    if (!wantsPage(request))
      return reply
        .type('text/plain; charset=utf-8')
        .send(options.words?.() ?? 'Dragoman is running. Open this address in a browser to talk.\n')
    if (!originCheck.knowsHost(request)) return sendError(request, reply, unknownHost(request))
    const root = rootFrom(request.originalUrl, mount)
    const document = pages.get(root) ?? page(root)
    // One for each spelling of its address, of which there are few.
    if (pages.size < 8) pages.set(root, document)
    return reply.headers(TALK_HEADERS).send(document(request.headers['accept-language']))
  })
  /** Resolves to what the page offers to this visitor. Rejects while links cannot be checked. */
  const visitorOf = async (request: FastifyRequest) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    const room = token === '' ? undefined : await links.find(token)
    const { access } = settings
    const admitted = access === 'anyone' || (access === 'local' && originCheck.local(request))
    // Visitors without an invitation can still have a code.
    return { token, room, invited: room !== undefined, welcome: room !== undefined || admitted }
  }
  /** Guests have limits of their own; a link that is not valid counts as that of an unauthenticated client. */
  const isLimited = (request: FastifyRequest, { invited, token }: { invited: boolean; token: string }) =>
    invited ? !vouchForGuest(request.raw) : token !== '' && rejectsStranger(request.raw)
  const unavailable = (reply: FastifyReply) =>
    reply.code(503).header('retry-after', '2').send({ statusCode: 503, error: 'service-unavailable' })
  const crowded = (reply: FastifyReply) =>
    reply.code(503).header('retry-after', '1').send({ statusCode: 503, error: 'busy' })
  const { speaks, hears } = options.languages
  const defaults = { speaks: languageId(speaks), hears: languageId(hears) }
  const recordings = readRecordings()
  for (const { file } of recordings) {
    const path = new URL(file, RECORDINGS_FOLDER)
    const { size } = statSync(path)
    scope.get(
      `${TALK_PATH}/${RECORDINGS}/${file}`,
      { onRequest, config: { proof: 'headers' }, schema: HIDDEN, exposeHeadRoute: false },
      async (request, reply) => {
        const visitor = await visitorOf(request).catch(() => undefined)
        if (!visitor) return unavailable(reply)
        if (isLimited(request, visitor)) return crowded(reply)
        if (!visitor.welcome) return reply.callNotFound()
        return reply
          .headers({
            'content-type': 'audio/wav',
            'content-length': size,
            'cache-control': 'private, max-age=3600',
          })
          .send(createReadStream(path, { highWaterMark: CHUNK_BYTES }))
      },
    )
  }
  // The page imports the library's module as it is published.
  const qrEncoder = readFileSync(new URL(import.meta.resolve('uqr')))
  scope.get(`${TALK_PATH}/qr.js`, { onRequest, schema: HIDDEN }, (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=3600' })
      .send(qrEncoder),
  )
  const lists = {
    tag: 'talk',
    summary: 'The available languages and voices.',
    answers: 'application/json',
  }
  const listOptions = { onRequest, config: { proof: 'headers' }, schema: routeSchema(lists) } as const
  scope.get(`${TALK_PATH}/languages`, listOptions, async (request, reply) => {
    const visitor = await visitorOf(request).catch(() => undefined)
    if (!visitor) return unavailable(reply)
    const { token, room, invited, welcome } = visitor
    if (isLimited(request, visitor)) return crowded(reply)
    void reply.header('cache-control', 'no-store')
    try {
      return {
        ...(await offer.get()),
        defaults,
        // Guests have no business with either.
        ...(invited ? {} : { dashboard: options.dashboard, operator: originCheck.local(request) }),
        welcome,
        invited,
        ...(room !== undefined && settings.showNames
          ? { inviter: reception.inviterOf(token), present: namesIn(options.relay, room) }
          : {}),
        recordings: (welcome ? recordings : []).map(({ file, language, text }) => ({
          // Relative to this list.
          url: `${RECORDINGS}/${file}`,
          language,
          text,
        })),
      }
    } catch {
      return unavailable(reply)
    }
  })
}

/**
 * Returns the relative path from a page at `url` to `mount`, so that a proxy can add its own path prefix. The page
 * can end with or without a slash.
 */
function rootFrom(url: string, mount: string): string {
  const [path = ''] = url.split('?')
  const below = path.slice(mount.length)
  if (below === '') return mount === '' ? './' : `./${mount.slice(mount.lastIndexOf('/') + 1)}/`
  return '../'.repeat(below.split('/').length - 2) || './'
}

/** Returns the names of the participants who have one. */
function namesIn({ rooms }: BrowserBridgeOptions['relay'], room: string): string[] {
  const participants = rooms.get(room)?.participants.values() ?? []
  return Array.from(participants, ({ state }) => state.name).filter(name => name !== undefined)
}

function readRecordings(): readonly Transcript[] {
  const there = new Set(readdirSync(RECORDINGS_FOLDER))
  const all = JSON.parse(
    readFileSync(new URL('transcripts.json', RECORDINGS_FOLDER), 'utf8'),
  ) as readonly Transcript[]
  return all.filter(({ file }) => there.has(file))
}
