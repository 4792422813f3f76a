import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { loadConfig } from '../../src/config.ts'
import { type AppConfig, buildApp } from '../../src/index.ts'
import { FakeTranslator } from '../../src/simulator/index.ts'
import { code, table } from './markdown.ts'

/** What each route of the bridge server is for, beside those of the control API. One without words fails a test. */
const WORDS: Readonly<Record<string, string>> = {
  'GET /': 'The page to talk in, or a few words where there is none.',
  'GET /talk/languages': 'The languages and voices that the page to talk in offers.',
  'GET /talk/socket': 'WebSocket: a visit of that page.',
  'GET /talk/recordings/…': 'Recordings that it plays for whoever has no microphone.',
  'GET /captions': 'The page that shows captions: asks for the room.',
  'GET /captions/:room': 'Captions of a room, to project or to share.',
  'GET /dashboard': 'The page for operators; all that it shows needs a key.',
  'GET /dashboard/events': 'Server-sent events: what the dashboard shows.',
  'GET /dashboard/offer': 'Languages and recordings for simulated calls.',
  'POST /dashboard/calls': 'Places a simulated call.',
  'DELETE /dashboard/calls/:call': 'Ends one.',
  'GET /dashboard/calls/:call/phones/:phone/sound': 'What a simulated telephone hears, as it hears it.',
  'GET /metrics': 'Metrics in the text format of Prometheus. [metrics](../operations/metrics.md)',
  'GET /health': 'How many calls and rooms there are. [deployment](../operations/deployment.md)',
  'GET /live': 'Whether this process works: for supervisors.',
  'GET /ready': 'Whether new calls should be sent here: for load balancers.',
  'GET /files/…': 'Modules and styles of the pages.',
  'GET /v1/openapi.json': 'The control API as OpenAPI 3.1.',
  'GET /v1/docs': 'The control API as a page.',
  'POST /twilio/voice': 'Twilio asks what to do with a call that comes in. [twilio](../channels/twilio.md)',
  'POST /twilio/resume': 'Twilio asks how a call goes on whose stream ended.',
  'POST /twilio/status': 'Twilio tells how a call ended.',
  'POST /twilio/menu': 'A key that a caller pressed in a menu.',
  'POST /twilio/dial/answer': 'Somebody answered whom we called.',
  'POST /twilio/dial/status': 'How a call of ours goes on.',
  'POST /twilio/dial/machine': 'Whether a machine answered.',
  'GET /twilio/media': 'WebSocket: the media stream of a call.',
  'GET /twilio/media/': 'The same.',
  'GET /twilio/menu/sound/:signature/:notice/:language.wav': 'What a menu says, as a sound.',
}

/** Who may ask, by the beginning of the path. */
const ACCESS: readonly (readonly [string, string])[] = [
  ['/twilio/', 'Twilio, by its signature'],
  ['/v1/openapi.json', 'anybody'],
  ['/v1/docs', 'anybody'],
  ['/v1/rooms/:room/captions', 'a key, or a link'],
  ['/metrics', 'this machine, or a key (`metrics.access`)'],
  ['/dashboard', 'anybody'],
  ['/dashboard/', 'a key'],
  ['/talk/', 'who may talk (`browser.visitors`)'],
  ['/v1/', 'a key'],
]

/** Everything on, so that every route is there. */
const SETTINGS = {
  publicUrl: 'https://bridge.example.com',
  control: { keys: [{ name: 'reference', key: 'a-long-random-key-of-the-reference' }] },
  twilio: {
    authToken: 'token',
    outbound: { accountSid: `AC${'0'.repeat(32)}`, from: '+15551230001', allow: ['+1'] },
  },
}

/** Every route that a bridge server has, in order of its path. */
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
    const config: AppConfig = loadConfig({ env: {}, overrides: SETTINGS })
    await using _app = await buildApp(config, { translator: new FakeTranslator() })
  } finally {
    unsubscribe('fastify.initialization', watch)
  }
  const path = (route: string) => route.split(' ')[1] ?? ''
  return Array.from(routes).sort((a, b) => path(a).localeCompare(path(b)) || a.localeCompare(b))
}

/** What pages are made of is one row: their files come and go. */
function folded(url: string): string {
  const folder = ['/files/', '/talk/recordings/'].find(begin => url.startsWith(begin))
  return folder === undefined ? url : `${folder}…`
}

/** All routes as a table; `documented` are those that have a section of their own below. */
export async function routeTable(documented: ReadonlyMap<string, string>): Promise<string> {
  const rows = (await serverRoutes()).map(route => {
    const own = documented.get(route.replace(/:(\w+)/g, '{$1}'))
    const words = own ?? WORDS[route]
    if (words === undefined) throw new Error(`scripts/reference/routes.ts does not say what ${route} is for`)
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
