import { expect, test } from 'vitest'
import { guarded, KEY } from '../support/security/guarded.ts'

const MEDIA_TYPES = [
  undefined,
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'text/xml',
  'multipart/mixed; boundary=x',
  'multipart/form-data',
  'audio/wav',
  'garbage',
]
const ROUTES = [
  ['POST', '/v1/rooms'],
  ['POST', '/v1/calls'],
  ['POST', '/v1/rooms/desk/announcements'],
  ['PATCH', '/v1/rooms/desk'],
  ['DELETE', '/v1/rooms/desk'],
  ['POST', '/dashboard/calls'],
  ['POST', '/twilio/voice'],
  ['POST', '/twilio/status'],
  ['POST', '/health'],
  ['POST', '/metrics'],
  ['POST', '/captions/desk'],
  ['POST', '/nothing'],
] as const
/** What the framework says on its own. */
const FRAMEWORK = /FST_|unsupported media type|body cannot be empty|is not valid json|<html/i

test('no route of the bridge shows a rejection of the framework, whatever the media type and body', async () => {
  const { port } = await guarded()
  for (const [method, path] of ROUTES)
    for (const type of MEDIA_TYPES)
      for (const body of ['', 'not json {', '[]']) {
        const what = `${method} ${path} ${type} ${JSON.stringify(body)}`
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${KEY}`,
            ...(type === undefined ? {} : { 'content-type': type }),
          },
          body: Buffer.from(body),
        })
        const text = await response.text()
        expect(response.status, what).toBeGreaterThanOrEqual(200)
        expect(response.status, what).toBeLessThan(500)
        expect(text, what).not.toMatch(FRAMEWORK)
        if (path.startsWith('/v1/') && !response.ok)
          expect(JSON.parse(text), what).toMatchObject({
            code: expect.any(String),
            description: expect.any(String),
          })
      }
})
