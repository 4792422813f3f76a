import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serviceSettings } from '../../src/service/server/settings.ts'
import { fakeService, KEY } from '../support/service/fake-service.ts'

const EVIL = 'https://evil.example'
const POLLING = '/socket.io/?EIO=4&transport=polling'

type Headers = Record<string, string>

/** Sends a GET like a browser; `fetch` sets `Host` on its own. */
async function asked(
  url: string,
  headers: Headers,
): Promise<{ status: number; headers: IncomingMessage['headers'] }> {
  const [answer] = (await once(httpGet(url, { headers }), 'response')) as [IncomingMessage]
  answer.resume()
  return { status: answer.statusCode ?? 0, headers: answer.headers }
}

/** Status of an upgrade: 101 for a WebSocket. */
async function upgraded(url: string, headers: Headers): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
    headers,
  })
  return new Promise(resolve => {
    socket.once('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.once('unexpected-response', (_request, answer) => {
      socket.terminate()
      resolve(answer.statusCode ?? 0)
    })
    socket.on('error', () => {})
  })
}

async function all(url: string, headers: Headers): Promise<number[]> {
  const answers = [await asked(`${url}${POLLING}`, headers), await asked(`${url}/api/voices`, headers)]
  for (const { headers: got } of answers) expect(got['access-control-allow-origin']).toBeUndefined()
  return [...answers.map(({ status }) => status), await upgraded(url, headers)]
}

test('without keys rejects foreign pages, by polling, WebSocket or HTTP, and by a name that resolves to this machine', async () => {
  const { url } = await fakeService({ apiKeys: [], open: true })
  const { port } = new URL(url)
  expect(await all(url, { origin: EVIL })).toEqual([403, 403, 403])
  expect(await all(url, { origin: 'null' })).toEqual([403, 403, 403])
  // DNS rebinding: the page's own name resolves to this machine, so that it has the service's origin.
  const rebound = { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }
  expect(await all(url, rebound)).toEqual([403, 403, 403])
  expect(await all(url, { host: `evil.example:${port}` })).toEqual([403, 403, 403])
  expect(await all(url, { host: `127.0.0.1.evil.example:${port}` })).toEqual([403, 403, 403])
})

test('without keys admits programs on this machine, and the service’s own pages', async () => {
  const { url } = await fakeService({ apiKeys: [], open: true })
  const { port } = new URL(url)
  expect(await all(url, {})).toEqual([200, 200, 101])
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
    expect(await all(url, { host, origin: `http://${host}` })).toEqual([200, 200, 101])
  expect(await all(url, { origin: 'http://localhost:1' })).toEqual([403, 403, 403])
})

test('with keys no page of another site can read a response unless it is listed', async () => {
  const allowed = 'https://app.example.com'
  const { url } = await fakeService({ allowedOrigins: [allowed] })
  expect(await all(url, { 'x-api-key': KEY, origin: EVIL })).toEqual([403, 403, 403])
  expect(await all(url, { 'x-api-key': KEY, host: 'translation.example.com' })).toEqual([200, 200, 101])
  for (const path of [POLLING, '/api/voices']) {
    const { status, headers } = await asked(`${url}${path}`, { 'x-api-key': KEY, origin: allowed })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, allowed])
  }
  expect(await upgraded(url, { origin: allowed })).toBe(101)
  const preflight = await fetch(`${url}/api/batch/file`, {
    method: 'OPTIONS',
    headers: { origin: allowed, 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-api-key')
})

test.each([
  [{ apiKeys: ['k'], allowedOrigins: ['app.example.com'] }],
  [{ apiKeys: ['k'], allowedOrigins: ['https://app.example.com/path'] }],
  [{ open: true, allowedOrigins: ['*'] }],
])('%j is refused', config => {
  expect(() => serviceSettings(config)).toThrow('allowedOrigins')
})
