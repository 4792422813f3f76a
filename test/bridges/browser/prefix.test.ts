import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import browserBridge, { type BrowserBridgeOptions } from '../../../src/bridges/browser/index.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { OFFER } from '../../support/browser/browser-bridge-harness.ts'

const relay = new Relay({ translator: new FakeTranslator(), options: relayOptions() })
await relay.ready()

const open: FastifyInstance[] = []
afterEach(() => Promise.all(open.splice(0).map(app => app.close())))

/** A site with the bridge, and with the routes that `own` adds before and after it. */
async function site(
  options: Partial<BrowserBridgeOptions> = {},
  { within = '', before = (_app: FastifyInstance) => {}, after = (_app: FastifyInstance) => {} } = {},
): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  open.push(app)
  before(app)
  const bridge = async (scope: FastifyInstance) =>
    void (await scope.register(browserBridge, {
      ...{ relay, offer: async () => OFFER, languages: { speaks: 'en-us', hears: 'es-es' } },
      ...options,
    }))
  if (within === '') await bridge(app)
  else await app.register(bridge, { prefix: within })
  after(app)
  return app.listen({ port: 0, host: '127.0.0.1' })
}

const HTML = { headers: { accept: 'text/html' } }

/** All links and requests of the page at `address`, resolved as in a browser. */
async function linksOf(address: string, seen = address): Promise<{ url: string; root: string }[]> {
  const page = await fetch(address, HTML)
  expect([address, page.status]).toEqual([address, 200])
  const html = await page.text()
  const [, root = ''] = /data-root="([^"]*)"/.exec(html) ?? []
  const named = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link)
  expect(named.length).toBeGreaterThanOrEqual(7)
  return [...named, `${root}talk/languages`].map(link => ({ url: new URL(link, seen).href, root }))
}

describe('the talk page within another site', () => {
  it.each([
    ['without a prefix', {}, '', '/talk'],
    ['with a prefix', { prefix: '/calls' }, '', '/calls/talk'],
    ['in a scope with a prefix', {}, '/api', '/api/talk'],
    ['with both', { prefix: '/calls' }, '/api', '/api/calls/talk'],
    ['at a separate path', { prefix: '/calls', path: '/interpreter/room' }, '', '/calls/interpreter/room'],
    ['as the page of a prefix', { prefix: '/calls', path: '/' }, '', '/calls'],
    ['as the page of a prefix, with a slash', { prefix: '/calls', path: '/' }, '', '/calls/'],
    ['as the only page', { path: '/' }, '', '/'],
  ])('has only valid links %s', async (_how, options, within, path) => {
    const origin = await site(options, { within })
    const links = await linksOf(origin + path)
    for (const { url } of links) expect([url, (await fetch(url, HTML)).status]).toEqual([url, 200])
    const lists = links.at(-1)?.url ?? ''
    const { recordings } = (await (await fetch(lists)).json()) as { recordings: { url: string }[] }
    const recording = new URL(recordings[0]?.url ?? '', lists).href
    expect((await fetch(recording)).headers.get('content-type')).toBe('audio/wav')

    const { invited } = await visit(new URL(`${links[0]?.root}talk/socket`, origin + path).href, origin)
    expect(invited).toMatch(`${path === '/' ? '' : path.replace(/\/$/, '')}`)
    expect((await fetch(origin + invited.replace(/#.*/, ''), HTML)).status).toBe(200)
  })

  it('works behind a proxy that strips a path', async () => {
    const origin = await site({ prefix: '/calls' })
    for (const { url } of await linksOf(`${origin}/calls/talk`, `${origin}/site/calls/talk`)) {
      expect(url).toMatch(`${origin}/site/calls/`)
      expect((await fetch(url.replace('/site', ''), HTML)).status).toBe(200)
    }
  })

  it.each([
    ['before', 'before'],
    ['after', 'after'],
  ] as const)('leaves / to a host that registers it %s', async (_when, when) => {
    const own = (app: FastifyInstance) => {
      app.get('/', async () => 'mine')
      app.get('/files/*', async () => 'my files')
    }
    const origin = await site({}, { [when]: own })
    expect(await (await fetch(origin, HTML)).text()).toBe('mine')
    for (const { url } of await linksOf(`${origin}/talk`)) expect((await fetch(url, HTML)).status).toBe(200)
  })
})

/** Joins and requests a link for others. */
function visit(url: string, origin: string): Promise<{ invited: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers: { origin } })
    socket.on('error', reject)
    socket.on('open', () =>
      socket.send(JSON.stringify({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es' })),
    )
    socket.on('message', (data, binary) => {
      const message = binary ? {} : JSON.parse(String(data))
      if (message.kind === 'welcome') socket.send(JSON.stringify({ kind: 'invite' }))
      if (message.kind === 'refused') reject(new Error(message.why))
      if (message.kind !== 'invited') return
      socket.close(1000)
      resolve({ invited: message.path })
    })
  })
}
