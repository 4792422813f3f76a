import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { openServer } from '../../src/app/server.ts'
import { browserServer } from '../support/browser/browser-bridge-harness.ts'
import { SERVED_LIMITS } from '../support/limits.ts'
import { LogLines } from '../support/log-lines.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml' }

async function opened(options: Parameters<typeof browserServer>[0] = {}) {
  const b = await browserServer(options)
  onTestFinished(() => b.close())
  return b.server
}

test('a page opened by an unknown host name shows which settings allow it', async () => {
  const server = await opened()
  const asked = { url: '/', headers: { ...BROWSER, host: 'phone.lan:8080' } }
  const { statusCode, headers, body } = await server.inject(asked)
  expect([statusCode, headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  expect(body).toContain('You opened <code>phone.lan:8080</code>')
  expect(body).toContain('add the address to <code>browser.origins</code>, or set <code>publicUrl</code>')
  expect(body).toContain('origins: [http://phone.lan:8080]')
  expect(body).not.toMatch(/<script|href="https?:\/\/phone/)
})

test('programs get the same as JSON with a stable code', async () => {
  const server = await opened()
  const { statusCode, body } = await server.inject({ url: '/talk/languages', headers: { host: 'phone.lan' } })
  expect(statusCode).toBe(403)
  expect(JSON.parse(body)).toEqual({
    statusCode: 403,
    error: 'host-not-allowed',
    message: expect.stringContaining('phone.lan'),
  })
  const foreign = await server.inject({
    url: '/talk/languages',
    headers: { host: 'localhost', origin: 'http://evil.example' },
  })
  expect(JSON.parse(foreign.body)).toMatchObject({ error: 'origin-not-allowed' })
})

test('a host name cannot inject markup into the page', async () => {
  const server = await opened()
  const { body } = await server.inject({
    url: '/',
    headers: { ...BROWSER, host: 'a"><script>alert(1)</script>' },
  })
  expect(body).not.toContain('<script>')
  expect(body).toContain('You opened another name')
  expect(body).not.toContain('origins: [')
})

test('a missing page is an HTML page for people and JSON for programs', async () => {
  const { server } = openServer({
    limits: SERVED_LIMITS,
    trustProxy: [],
    clock: new FakeClock(),
    log: new LogLines(),
  })
  onTestFinished(() => server.close())
  const page = await server.inject({ url: '/nowhere', headers: BROWSER })
  expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(page.body).toContain('This server has no page at <code>/nowhere</code>')
  const odd = await server.inject({ url: "/a&b'?token=secret", headers: BROWSER })
  expect(odd.body).toContain('<code>/a&#38;b&#39;</code>')
  expect(odd.body).not.toContain('secret')
  const json = await server.inject({ url: '/nowhere' })
  expect(JSON.parse(json.body)).toMatchObject({ statusCode: 404, error: 'not-found' })
})

test('an unreadable address is a page for people and a status for programs', async () => {
  const { server } = openServer({
    limits: SERVED_LIMITS,
    trustProxy: [],
    clock: new FakeClock(),
    log: new LogLines(),
  })
  server.get('/fails', () => {
    throw new Error('a detail of the server')
  })
  onTestFinished(() => server.close())
  const page = await server.inject({ url: '/%E0%A4%A', headers: BROWSER })
  expect([page.statusCode, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
  expect(page.body).toContain('This address is invalid')
  expect((await server.inject('/%E0%A4%A')).json()).toEqual({ statusCode: 400, error: 'refused' })
  const failed = await server.inject({ url: '/fails', headers: BROWSER })
  expect(failed.statusCode).toBe(500)
  expect(failed.body).toContain('Something went wrong')
  expect(failed.body).not.toContain('a detail')
  expect((await server.inject('/fails')).json()).toEqual({ statusCode: 500, error: 'failed' })
})

test('the page of a rejected name links to this machine only for its own users', async () => {
  const server = await opened()
  const { port } = server.server.address() as AddressInfo
  const get = async (more: Record<string, string>) => {
    const asked = request({ port, host: '127.0.0.1', headers: { ...BROWSER, host: 'phone.lan', ...more } })
    const [response] = (await once(asked.end(), 'response')) as [IncomingMessage]
    return await text(response)
  }
  expect(await get({})).toContain(`href="http://localhost:${port}/"`)
  expect(await get({ 'x-forwarded-for': '203.0.113.7' })).not.toContain('localhost')
})

test('a person reads an error in the language of their browser', async () => {
  const server = await opened()
  const headers = { ...BROWSER, host: 'phone.lan', 'accept-language': 'es-ES,es;q=0.9,en;q=0.8' }
  const { body } = await server.inject({ url: '/', headers })
  expect(body).toContain('<html lang="es">')
  expect(body).toContain('Has abierto <code>phone.lan</code>')
  expect(body).toContain('<h2 id="fix">Qué puedes hacer</h2>')
})
