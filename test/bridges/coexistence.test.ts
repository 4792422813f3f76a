import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import browserBridge from '../../src/bridges/browser/index.ts'
import signalwireBridge from '../../src/bridges/phone/signalwire/index.ts'
import twilioBridge from '../../src/bridges/phone/twilio/index.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { OFFER } from '../support/browser/browser-bridge-harness.ts'
import { Talker } from '../support/browser/page-client.ts'
import { fieldsOf, tokenIn } from '../support/phone/twilio-bridge-harness.ts'
import { until } from '../support/until.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

function host() {
  const app = Fastify({ forceCloseConnections: true })
  const relay = new Relay({ translator: new FakeTranslator(), options: relayOptions() })
  open.push(
    () => relay.close(),
    () => app.close(),
  )
  return { app, relay }
}

const phones = (relay: Relay, prefix: string) => ({
  relay,
  prefix,
  insecure: true,
  invite: () => ({ room: 'desk', speaks: 'en-us', hears: 'es-es' }),
})
const pages = (relay: Relay, prefix: string) => ({
  relay,
  prefix,
  languages: { speaks: 'en-us', hears: 'es-es' },
  offer: async () => OFFER,
  invite: () => ({ room: 'desk', speaks: 'en-us', hears: 'es-es' }),
})

/** Calls at the bridge below `mount`, up to the start of the stream. */
async function call(address: string, mount: string, callSid: string): Promise<void> {
  const response = await fetch(`${address}${mount}/voice`, {
    method: 'POST',
    body: new URLSearchParams(fieldsOf(callSid)),
  })
  const token = tokenIn(await response.text())
  expect([mount, response.status, token.length > 10]).toEqual([mount, 200, true])
  const socket = new WebSocket(`${address.replace('http', 'ws')}${mount}/media`)
  open.push(() => socket.terminate())
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const start = { streamSid: `MZ${callSid}`, callSid, customParameters: { token } }
  socket.send(JSON.stringify({ event: 'start', start }))
}

/** What a host can have, registered before and after the bridges. */
const hosts: [
  what: string,
  before: (app: FastifyInstance) => unknown,
  after?: (app: FastifyInstance) => unknown,
][] = [
  ['nothing else', () => {}],
  [
    'the same plugins',
    async app => {
      await app.register(websocket)
      await app.register(formbody)
      await app.register(multipart)
    },
  ],
  [
    'a WebSocket plugin that comes later',
    () => {},
    app => app.register(websocket, { options: { maxPayload: 1 } }),
  ],
  [
    'its own parser of forms',
    app =>
      app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => ({
        own: 1,
      })),
  ],
  [
    'decorators of the same names',
    app =>
      app.decorate<object>('twilio' as string, { own: 1 }).decorate<object>('browser' as string, { own: 1 }),
  ],
  ['its own error handler', app => app.setErrorHandler((_error, _request, reply) => reply.code(418).send())],
]

test.each(hosts)('several bridges in one scope of a host with %s', async (what, before, after) => {
  const { app, relay } = host()
  await before(app)
  await app.register(twilioBridge, phones(relay, '/a'))
  await app.register(twilioBridge, phones(relay, '/b'))
  await app.register(signalwireBridge, phones(relay, '/c'))
  await app.register(browserBridge, pages(relay, '/d'))
  await app.register(browserBridge, pages(relay, '/e'))
  await app.register(async scope => void (await scope.register(twilioBridge, phones(relay, '/g'))), {
    prefix: '/f',
  })
  await after?.(app)
  app.post('/own', request => request.body)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const mounts = ['/a/twilio', '/b/twilio', '/c/signalwire', '/f/g/twilio']
  for (const [n, mount] of mounts.entries()) await call(address, mount, `CA${n}`)
  for (const prefix of ['/d', '/e']) {
    const talker = await Talker.open(address + prefix)
    open.push(() => talker.socket.terminate())
    await talker.hello()
    expect((await fetch(`${address}${prefix}/talk`, { headers: { accept: 'text/html' } })).status).toBe(200)
  }
  await until(() => relay.legs === 6, 5_000, 'all legs')
  const ids = [...relay.rooms.get('desk')!.participants.keys()]
  expect(new Set(ids).size).toBe(6)
  for (const id of ids) expect(relay.find(id)?.id).toBe(id)
  const own = { own: 1 }
  if (what.startsWith('decorators')) expect([app.twilio, app.browser]).toEqual([own, own])
  else expect([app.twilio.legs.size, app.browser.sessions]).toEqual([1, 1])
  if (what.startsWith('its own parser'))
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/own',
          payload: 'a=1',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).json(),
    ).toEqual(own)
})

test.each([
  ['twilio: POST /twilio/voice', twilioBridge, phones],
  ['browser: GET /talk', browserBridge, pages],
] as const)('a second bridge at the same address says so: %s', async (what, bridge, options) => {
  const { app, relay } = host()
  const register = () =>
    app.register(bridge as typeof twilioBridge, options(relay, '') as ReturnType<typeof phones>)
  await register()
  await expect(register()).rejects.toMatchObject({
    code: 'CONFIG',
    message: `${what} is taken already; give each bridge of an application its own prefix or path`,
  })
})
