import { describe, expect, test } from 'vitest'
import { SECURITY_HEADERS } from '../../src/net/http-hardening.ts'
import { guarded, KEY, ringing } from '../support/security/guarded.ts'
import { exchanged } from '../support/security/raw.ts'
import { fakeService } from '../support/service/fake-service.ts'

/** Method, path, headers and body of requests that produce every kind of response. */
type Asked = readonly [method: string, path: string, headers?: Record<string, string>, body?: string]

const AUTH = { authorization: `Bearer ${KEY}` }
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const BRIDGE: readonly Asked[] = [
  ['GET', '/'],
  ['GET', '/', { accept: 'text/html' }],
  ['GET', '/', { accept: 'text/html', host: 'evil.example' }],
  ['GET', '/talk/languages'],
  ['GET', '/talk/languages', { origin: 'https://evil.example' }],
  ['GET', '/talk/languages', { authorization: 'Bearer wrong' }],
  ['GET', '/talk/socket'],
  ['GET', '/talk/recordings/none.wav'],
  ['GET', '/files/pages/page/base.css'],
  ['GET', '/files/pages/page/icon.svg'],
  ['GET', '/files/../app.ts'],
  ['GET', '/files/..%2fapp.ts'],
  ['GET', '/files/app.ts'],
  ['GET', '/captions'],
  ['GET', '/captions/none'],
  ['GET', '/dashboard'],
  ['GET', '/dashboard/state'],
  ['GET', '/dashboard/offer', AUTH],
  ['GET', '/dashboard/offer', { authorization: 'Bearer wrong' }],
  ['POST', '/dashboard/calls', { ...AUTH, ...JSON_TYPE }, '{"phones":[]}'],
  ['POST', '/dashboard/calls', { ...AUTH, ...JSON_TYPE }, '{'],
  ['POST', '/dashboard/calls', JSON_TYPE, '{}'],
  ['DELETE', '/dashboard/calls/none', AUTH],
  ['GET', '/metrics'],
  ['GET', '/health'],
  ['GET', '/live'],
  ['GET', '/ready'],
  ['GET', '/nothing/here'],
  ['GET', '/%zz'],
  ['TRACE', '/'],
  ['DELETE', '/health'],
  ['GET', '/v1/docs'],
  ['GET', '/v1/openapi.json'],
  ['GET', '/v1/rooms'],
  ['GET', '/v1/rooms', AUTH],
  ['GET', '/v1/rooms/none', AUTH],
  ['GET', '/v1/nothing', AUTH],
  ['PUT', '/v1/rooms', AUTH],
  ['POST', '/v1/rooms', { ...AUTH, ...JSON_TYPE }, '{'],
  ['POST', '/v1/rooms', { ...AUTH, ...JSON_TYPE }, `{"__proto__":{"polluted":1}}`],
  ['POST', '/v1/rooms', { ...AUTH, ...JSON_TYPE }, `{"name":"${'x'.repeat(70_000)}"}`],
  ['POST', '/v1/rooms', { ...AUTH, 'content-type': 'text/xml' }, '<a/>'],
  ['POST', '/twilio/voice', FORM, 'CallSid=CA1'],
  ['POST', '/twilio/voice', JSON_TYPE, '{}'],
  ['POST', '/twilio/voice', FORM, 'a'.repeat(70_000)],
  ['GET', '/twilio/voice'],
  ['GET', '/twilio/media'],
  ['GET', '/twilio/menu/sound/x/y/z.wav'],
]

const SERVICE: readonly Asked[] = [
  ['GET', '/health'],
  ['GET', '/docs'],
  ['GET', '/docs/json'],
  ['GET', '/nothing/here'],
  ['GET', '/%zz'],
  ['GET', '/api/languages'],
  ['GET', '/api/languages', { 'x-api-key': 'wrong' }],
  ['GET', '/stream/nothing.mp3'],
  ['POST', '/api/batch/file', JSON_TYPE, '{"a":'],
  ['POST', '/health', { 'content-type': 'text/xml' }, '<a/>'],
]

/** Details that reveal to an attacker what runs here, or where. */
const TALKATIVE = /node_modules|\bat .+:\d+:\d+|\.ts:\d|\/src\/|fastify|node\.js|v?\d+\.\d+\.\d+(?!\.\d)/i

async function look(base: string, all: readonly Asked[]): Promise<void> {
  for (const [method, path, headers = {}, body] of all) {
    const response =
      method === 'TRACE'
        ? undefined
        : await fetch(base + path, {
            method,
            headers,
            redirect: 'manual',
            ...(body === undefined ? {} : { body }),
          })
    if (!response) continue
    const what = `${method} ${path} → ${response.status}`
    const text = await response.text()
    for (const name of Object.keys(SECURITY_HEADERS))
      expect(response.headers.has(name), `${what}: ${name}`).toBe(true)
    expect(response.headers.get('x-content-type-options'), what).toBe('nosniff')
    expect(response.headers.get('content-security-policy'), what).toContain("default-src 'none'")
    expect(response.headers.get('content-security-policy'), what).toContain("frame-ancestors 'none'")
    for (const name of ['server', 'x-powered-by', 'set-cookie'])
      expect(response.headers.has(name), `${what}: ${name}`).toBe(false)
    // Pages of any origin play streamed audio: its address is the secret.
    expect(response.headers.has('access-control-allow-origin'), what).toBe(path.startsWith('/stream/'))
    if (!response.ok) expect(text, what).not.toMatch(TALKATIVE)
  }
}

describe('every answer', () => {
  test('of the bridge has the security headers, and reveals nothing about the program', async () => {
    const { port, webhook } = await guarded()
    await look(`http://127.0.0.1:${port}`, BRIDGE)
    const answered = await webhook('voice', ringing())
    expect(answered.headers.get('x-content-type-options')).toBe('nosniff')
    expect({}).not.toHaveProperty('polluted')
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('lets only the talk page ask for the microphone', async () => {
    const { port } = await guarded()
    const asked = async (path: string) => {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } })
      return headers.get('permissions-policy')
    }
    expect(await asked('/')).toContain('microphone=(self)')
    for (const path of ['/dashboard', '/captions', '/captions/r'])
      expect(await asked(path), path).toContain('microphone=()')
  })

  test('of the embedded service', async () => {
    const { url } = await fakeService()
    await look(url, SERVICE)
    // Input that never became a request.
    for (const raw of [
      'NOT HTTP\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const answer = await exchanged(Number(new URL(url).port), raw)
      expect(answer).toMatch(/x-content-type-options: nosniff/i)
      expect(answer.replace('HTTP/1.1', '')).not.toMatch(TALKATIVE)
    }
  })

  test('of the bridge to an unparsable request says no more than that', async () => {
    const { port } = await guarded()
    for (const raw of [
      'NOT HTTP\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      'POST /twilio/voice HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ]) {
      const answer = await exchanged(port, raw)
      expect(answer).toMatch(/^HTTP\/1.1 4\d\d /)
      expect(answer.replace('HTTP/1.1', '')).not.toMatch(TALKATIVE)
    }
  })

  test('a foreign site gains nothing by an unauthenticated upgrade', async () => {
    const { port } = await guarded()
    const upgrade = `GET /twilio/media HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    expect(await exchanged(port, upgrade)).toMatch(/^HTTP\/1.1 403 /)
    // The talk page's socket: rejected for pages of other sites, and for foreign host names that resolve to this
    // machine.
    const talk = upgrade.replace('/twilio/media', '/talk/socket')
    const here = `127.0.0.1:${port}`
    for (const [host, origin] of [
      [here, 'https://evil.example'],
      [here, 'null'],
      [here, `http://${here}.evil.example`],
      ['evil.example', 'http://evil.example'],
      ['localhost.evil.example', 'http://localhost.evil.example'],
    ])
      expect(
        await exchanged(
          port,
          talk
            .replace('Host: a', `Host: ${host}`)
            .replace('Origin: https://evil.example', `Origin: ${origin}`),
        ),
        `${origin} at ${host}`,
      ).toMatch(/^HTTP\/1.1 403 /)
  })
})
