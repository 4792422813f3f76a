import { expect, onTestFinished, test } from 'vitest'
import { openServer } from '../../../src/app/server.ts'
import { limitSettingsSchema } from '../../../src/net/settings.ts'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { browserServer } from '../../harness/browser/browser-bridge-harness.ts'
import { LogLines } from '../../harness/log-lines.ts'

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
  expect(body).toContain('You opened phone.lan:8080')
  expect(body).toMatch(
    /set publicUrl, or add http:&#x2F;&#x2F;phone.lan:8080|http:\/\/phone\.lan:8080 to browser\.origins/,
  )
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
  expect(body).toContain('You opened that name')
})

test('a missing page is an HTML page for people and JSON for programs', async () => {
  const { server } = openServer({
    limits: limitSettingsSchema.parse({}),
    trustProxy: [],
    clock: new FakeClock(),
    log: new LogLines(),
  })
  onTestFinished(() => server.close())
  const page = await server.inject({ url: '/nowhere', headers: BROWSER })
  expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(page.body).toContain('Page not found')
  const json = await server.inject({ url: '/nowhere' })
  expect(JSON.parse(json.body)).toMatchObject({ statusCode: 404, error: 'not-found' })
})
