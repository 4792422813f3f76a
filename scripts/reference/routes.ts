import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { FakeTranslator } from '../../simulator/index.ts'
import { loadConfig } from '../../src/app/settings/load.ts'
import { type AppConfig, buildApp } from '../../src/index.ts'
import { code, table } from './markdown.ts'

/** Description of each route of the bridge server, except for those of the control API. A missing one fails a test. */
const WORDS: Readonly<Record<string, string>> = {
  'GET /': 'The talk page, or a short text if it is disabled.',
  'GET /talk/languages': 'The languages and voices that the talk page offers.',
  'GET /listen': 'The page of people who only listen, by a link.',
  'GET /listen/socket': 'WebSocket of that page.',
  'GET /talk/socket': 'WebSocket of the talk page.',
  'GET /talk/recordings/…': 'Recordings that it plays for visitors without a microphone.',
  'GET /talk/qr.js': 'The encoder of QR codes for invitations.',
  'GET /captions': 'The captions page: asks for the room.',
  'GET /captions/:room': 'Captions of a room, for projecting or sharing.',
  'GET /dashboard': 'The page for operators; all its data requires a key.',
  'GET /dashboard/state':
    'The state of this server, or of the fleet: once, or every second as server-sent events. [dashboard](../operations/dashboard.md#for-programs)',
  'GET /dashboard/preact.js': 'A library of the page.',
  'GET /dashboard/htm.js': 'A library of the page.',
  'GET /dashboard/offer': 'Languages and recordings for simulated calls.',
  'POST /dashboard/calls': 'Places a simulated call.',
  'DELETE /dashboard/calls/:call': 'Ends a simulated call.',
  'GET /metrics': 'Metrics in the text format of Prometheus. [metrics](../operations/metrics.md)',
  'GET /health': 'Number of calls and rooms. [deployment](../operations/deployment.md)',
  'GET /live': 'Liveness of this process: for supervisors.',
  'GET /ready': 'Readiness for new calls: for load balancers.',
  'GET /files/…': 'Modules and styles of the pages.',
  'GET /v1/openapi.json': 'The control API as OpenAPI 3.1.',
  'GET /v1/docs': 'The control API as a page.',
  'POST /twilio/voice': 'Twilio’s webhook for an inbound call. [twilio](../channels/twilio.md)',
  'POST /twilio/resume': 'Twilio’s request for instructions after a stream has ended.',
  'POST /twilio/status': 'Twilio’s report of how a call ended.',
  'POST /twilio/menu': 'A key pressed by a caller in a menu.',
  'POST /twilio/dial/answer': 'Twilio’s request when an outbound call is answered.',
  'POST /twilio/dial/status': 'Progress of an outbound call.',
  'POST /twilio/dial/machine': 'Result of machine detection.',
  'GET /twilio/media': 'WebSocket: the media stream of a call.',
  'GET /twilio/media/': 'The same.',
  'GET /twilio/menu/sound/:signature/:notice/:language.wav': 'Audio of a menu prompt.',
}

/** Required access, by the start of the path. */
const ACCESS: readonly (readonly [string, string])[] = [
  ['/twilio/', 'Twilio, by its signature'],
  ['/v1/openapi.json', 'anybody'],
  ['/v1/docs', 'anybody'],
  ['/v1/rooms/:room/captions', 'a key, or a link'],
  ['/metrics', 'local requests, or a key (`metrics.access`)'],
  ['/dashboard', 'anybody'],
  ['/dashboard/preact.js', 'anybody'],
  ['/dashboard/htm.js', 'anybody'],
  ['/dashboard/', 'a key'],
  ['/listen', 'anybody'],
  ['/listen/', 'a link'],
  ['/talk/', 'visitors with access (`browser.access`)'],
  ['/v1/', 'a key'],
]

/** Everything enabled, so that every route exists. */
const SETTINGS = {
  publicUrl: 'https://bridge.example.com',
  control: { keys: [{ name: 'reference', key: 'a-long-random-key-of-the-reference' }] },
  twilio: {
    authToken: 'token',
    outbound: { accountSid: `AC${'0'.repeat(32)}`, from: '+15551230001', allowedPrefixes: ['+1'] },
  },
}

/** Every route of a bridge server, in order of its path. */
export async function serverRoutes(): Promise<string[]> {
  const routes = new Set<string>()
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat())
        if (each !== 'HEAD' && each !== 'OPTIONS') routes.add(`${each} ${folded(url)}`)
    })
  }
  subscribe('fastify.initialization', watch)
  try {
    const config: AppConfig = { ...loadConfig({ env: {}, overrides: SETTINGS }), stateFile: undefined }
    await using _app = await buildApp(config, { translator: new FakeTranslator() })
  } finally {
    unsubscribe('fastify.initialization', watch)
  }
  const path = (route: string) => route.split(' ')[1] ?? ''
  return Array.from(routes).sort((a, b) => path(a).localeCompare(path(b)) || a.localeCompare(b))
}

/** Folds the files of pages into one row, because they change. */
function folded(url: string): string {
  const folder = ['/files/', '/talk/recordings/'].find(begin => url.startsWith(begin))
  return folder === undefined ? url : `${folder}…`
}

/** All routes as a table; `documented` are those with a separate section below. */
export async function routeTable(documented: ReadonlyMap<string, string>): Promise<string> {
  const rows = (await serverRoutes()).map(route => {
    const own = documented.get(route.replace(/:(\w+)/g, '{$1}'))
    const words = own ?? WORDS[route]
    if (words === undefined) throw new Error(`scripts/reference/routes.ts has no description of ${route}`)
    const path = route.split(' ')[1] ?? ''
    return [
      code(route.replace(/:(\w+)/g, '{$1}')),
      words,
      ACCESS.find(([begin]) => (begin.endsWith('/') ? path.startsWith(begin) : path === begin))?.[1] ??
        'anybody',
    ]
  })
  return table(['route', 'what', 'who'], rows)
}
