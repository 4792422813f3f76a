import { expect, test } from 'vitest'
import { guarded, routesOf } from './guarded.ts'

/** Open to whoever asks: they hold nothing of calls, and do nothing. All else that there is, or will be, needs a proof. */
const OPEN = [
  /^GET \/$/,
  /^GET \/(health|live|ready)$/,
  /^GET \/v1\/(docs|openapi\.json)$/,
  /^GET \/files\//,
  // Documents that are the same for everybody.
  /^GET \/captions(\/:room)?$/,
  /^GET \/dashboard\/?$/,
  // What the service can do, and voices to try it with.
  /^GET \/talk\/(languages|recordings\/[\w-]+\.wav)$/,
]

/** Nobody's credentials, and those of others, in all ways in which pages and programs send some. */
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

test('G10 G42 G51: every route that there is, but for those that tell nothing, is closed to strangers', async () => {
  const bridge = await guarded({
    control: { keys: [{ name: 'desk', key: 'x'.repeat(32) }], maxAttemptsPerMinute: 10_000 },
  })
  const routes = routesOf(bridge)
  expect(routes.length).toBeGreaterThan(40)
  const closed = routes.filter(route => !OPEN.some(open => open.test(route)))
  expect(closed).toContain('DELETE /v1/rooms/:room')
  expect(closed).toContain('GET /dashboard/events')
  expect(closed).toContain('POST /twilio/voice')
  for (const route of closed) {
    const [method = '', path = ''] = route.split(' ')
    const url = path.replaceAll(/:\w+/g, 'x')
    for (const [who, headers] of Object.entries(STRANGERS)) {
      const body = method === 'POST' || method === 'PATCH' ? { body: 'a=b' } : {}
      const response = await fetch(`http://127.0.0.1:${bridge.port}${url}`, {
        method,
        // Not somebody on this machine.
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
