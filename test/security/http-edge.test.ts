import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { openServer } from '../../src/app/server.ts'
import { systemClock } from '../../src/common/clock.ts'
import { noopLogger } from '../../src/common/log.ts'
import { SERVED_LIMITS } from '../support/limits.ts'
import { guarded, KEY } from '../support/security/guarded.ts'
import { exchanged, rawConnection } from '../support/security/raw.ts'
import { fakeService } from '../support/service/fake-service.ts'

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const AUTHORIZED = `Authorization: Bearer ${KEY}\r\nX-API-Key: a-key-for-tests\r\n`

const asked = (port: number, target: string, headers = '', method = 'GET') =>
  exchanged(port, `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`)

/** Targets by which a URL parser would reach another host. */
const foreign = (path: string) => [
  `http://internal.example:1${path}`,
  `//internal.example${path}`,
  `/\\internal.example${path}`,
]

test('no server reads a host from the target of a request or an upgrade, with or without a key', async () => {
  const { port } = await guarded()
  const { url } = await fakeService()
  const paths: [number, string, string][] = [
    [port, '/v1/rooms', AUTHORIZED],
    [port, '/v1/rooms/desk/captions?token=x', ''],
    [port, '/live', ''],
    [port, '/talk/socket', UPGRADE],
    [port, '/twilio/media', UPGRADE],
    [Number(new URL(url).port), '/api/languages', AUTHORIZED],
    [Number(new URL(url).port), '/socket.io/?EIO=4&transport=websocket', UPGRADE],
  ]
  for (const [at, path, headers] of paths)
    for (const target of foreign(path)) {
      const answer = await asked(at, target, headers)
      expect(answer.slice(9, 12), target).toBe('400')
    }
})

test('the path of a node is not removed from a target if a host would be left', async () => {
  const limits = SERVED_LIMITS
  const { server } = openServer({
    limits,
    trustProxy: [],
    nodePaths: true,
    clock: systemClock,
    log: noopLogger,
  })
  server.get('/*', ({ url }) => url)
  const seen = async (url: string) => (await server.inject(url)).body
  expect(await seen('/n/a/twilio/voice?x=1')).toBe('/twilio/voice?x=1')
  expect(await seen('/n/a//internal.example/x')).toBe('/n/a//internal.example/x')
  await server.close()
})

test('an upload that is answered early ends its connection, on every route', async () => {
  const { port } = await guarded()
  const { url } = await fakeService()
  const service = Number(new URL(url).port)
  const long = 'Content-Length: 90000000\r\n'
  for (const [at, target, headers, status] of [
    [service, '/api/batch/file', `Content-Type: multipart/form-data; boundary=x\r\n${long}`, '401'],
    [service, '/api/batch/file', `${AUTHORIZED}Content-Type: audio/wav\r\n${long}`, '4'],
    [service, '/nothing', long, '404'],
    [service, '/socket.io/?EIO=4&transport=polling', long, '400'],
    [port, '/v1/rooms', `Content-Type: application/json\r\n${long}`, '401'],
    [port, '/v1/rooms', `${AUTHORIZED}Content-Type: application/json\r\n${long}`, '413'],
    [port, '/twilio/voice', `Content-Type: application/x-www-form-urlencoded\r\n${long}`, '4'],
    [port, '/nothing', long, '404'],
  ] as const) {
    const answer = await asked(at, target, headers, 'POST')
    expect(answer, target).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
    expect(answer, target).toMatch(/\r\nconnection: close\r\n/i)
  }
})

test('recordings are for visitors whom the page lets talk', async () => {
  for (const [access, forwarded, status] of [
    ['anyone', 'X-Forwarded-For: 203.0.113.7\r\n', '200'],
    ['local', '', '200'],
    ['local', 'X-Forwarded-For: 203.0.113.7\r\n', '404'],
    ['invited', '', '404'],
  ] as const) {
    const { app, port } = await guarded({ browser: { access } })
    const path = '/talk/recordings/sense-and-sensibility-1.wav'
    const close = 'Connection: close\r\n'
    expect((await asked(port, path, forwarded + close)).slice(9, 12), access).toBe(status)
    const list = await asked(port, '/talk/languages', forwarded + close)
    if (status === '404' && list.startsWith('HTTP/1.1 200')) expect(list).toContain('"recordings":[]')
    const token = await app.server.browser.links.issue('desk', 60_000)
    const invited = `Authorization: Bearer ${token}\r\n${forwarded}${close}`
    expect((await asked(port, path, invited)).slice(9, 12), access).toBe('200')
  }
})

test('a connection to the service that joins no namespace is over after 10 s', async () => {
  const clock = new FakeClock()
  const { service, url } = await fakeService({}, { clock })
  const polling = await fetch(`${url}/socket.io/?EIO=4&transport=polling`)
  const { sid } = JSON.parse((await polling.text()).slice(1)) as { sid: string }
  const socket = rawConnection(Number(new URL(url).port), '127.0.0.1', { allowHalfOpen: true })
  socket.socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n${UPGRADE}\r\n`)
  await expect.poll(() => socket.text()).toContain('"sid"')
  expect(service.io.engine.clientsCount).toBe(2)
  clock.advance(9_900)
  expect(service.io.engine.clientsCount).toBe(2)
  clock.advance(100)
  await expect.poll(() => service.io.engine.clientsCount).toBe(0)
  // It does not wait for the client to answer the close frame.
  socket.socket.end()
  await socket.over
  const late = await fetch(`${url}/socket.io/?EIO=4&transport=polling&sid=${sid}`)
  expect(late.status).toBe(400)
})
