import { expect, test } from 'vitest'
import { guarded, routesOf } from '../support/security/guarded.ts'

/** Open routes: they contain nothing about calls, and do nothing. All other current and future routes need authentication. */
const OPEN = [
  /^GET \/$/,
  /^GET \/(health|live|ready)$/,
  /^GET \/v1\/(docs|openapi\.json)$/,
  /^GET \/files\//,
  // Documents that are the same for every client.
  /^GET \/captions(\/:room)?$/,
  /^GET \/listen$/,
  /^GET \/dashboard\/?$/,
  /^GET \/dashboard\/(preact|htm)\.js$/,
  // Capabilities of the service, and voices to try it with.
  /^GET \/talk\/(languages|qr\.js|recordings\/[\w-]+\.wav)$/,
]

/** No credentials, and those of others, in every format that pages and programs use. */
const STRANGERS: Readonly<Record<string, Record<string, string>>> = {
  nothing: {},
  'a wrong key': { authorization: 'Bearer not-a-key-that-anybody-has' },
  'another scheme': { authorization: 'Basic ZGVzazpkZXNr' },
  'a cookie': { cookie: 'key=a-key-of-the-desk-that-nobody-would-guess; session=1' },
  'a form of another site': {
    origin: 'https://evil.example',
    'content-type': 'text/plain',
    'sec-fetch-site': 'cross-site',
  },
  'a wrong signature': { 'x-twilio-signature': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
}

test('closes every route to unauthenticated clients, except for those that reveal nothing', async () => {
  const bridge = await guarded({
    control: { keys: [{ name: 'desk', key: 'x'.repeat(32) }] },
    limits: { maxAttemptsPerMinute: 10_000 },
  })
  const routes = routesOf(bridge)
  expect(routes.length).toBeGreaterThan(40)
  const closed = routes.filter(route => !OPEN.some(open => open.test(route)))
  expect(closed).toContain('DELETE /v1/rooms/:room')
  expect(closed).toContain('GET /dashboard/state')
  expect(closed).toContain('POST /twilio/voice')
  for (const route of closed) {
    const [method = '', path = ''] = route.split(' ')
    const url = path.replaceAll(/:\w+/g, 'x')
    for (const [who, headers] of Object.entries(STRANGERS)) {
      const body = method === 'POST' || method === 'PATCH' ? { body: 'a=b' } : {}
      const response = await fetch(`http://127.0.0.1:${bridge.port}${url}`, {
        method,
        // Not a client on this machine.
        headers: {
          'x-forwarded-for': '198.51.100.7',
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        redirect: 'manual',
        ...body,
      })
      const text = await response.text()
      expect([401, 403, 404, 415], `${route} with ${who}: ${response.status} ${text}`).toContain(
        response.status,
      )
      expect(response.headers.has('access-control-allow-origin'), route).toBe(false)
      expect(response.headers.has('set-cookie'), route).toBe(false)
    }
  }
})
