import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { buildApp } from '../../../src/app/app.ts'
import { sign } from '../../../src/bridges/phone/twilio/index.ts'
import { AUTH_TOKEN, fieldsOf, Harness, PUBLIC_URL } from '../../support/phone/twilio-bridge-harness.ts'
import { exchanged } from '../../support/security/raw.ts'

const VOICE = '/twilio/voice'

/** A webhook with custom body and headers, signed like a usual one. */
async function ask(bridge: Harness, body: string | Buffer, headers: Record<string, string>) {
  const signature = sign(AUTH_TOKEN, PUBLIC_URL + VOICE, fieldsOf('CA1'))
  const all = { 'x-twilio-signature': signature, ...headers }
  const { statusCode } = await bridge.app.inject({ method: 'POST', url: VOICE, payload: body, headers: all })
  return statusCode
}

const FORM = new URLSearchParams(fieldsOf('CA1')).toString()

test('rejects bodies that are not a plain form', async () => {
  await using bridge = await Harness.open()
  const types = ['', 'application/json', 'multipart/form-data; boundary=x', 'text/xml', 'text/plain']
  for (const type of types) expect(await ask(bridge, FORM, { 'content-type': type }), type).toBe(415)
  const form = 'application/x-www-form-urlencoded'
  // Not decoded: the signed fields are missing.
  for (const body of [gzipSync(FORM), gzipSync('x'.repeat(1_000_000))])
    expect(await ask(bridge, body, { 'content-type': form, 'content-encoding': 'gzip' })).toBe(403)
  expect(await ask(bridge, FORM, { 'content-type': `${form}; charset=UTF-8` })).toBe(200)
  expect(bridge.relay.admitted).toEqual([])
})

test('rejects impossible headers without affecting others', async () => {
  const config = {
    host: '127.0.0.1',
    port: 0,
    service: {},
    languages: { speaks: 'en-us', hears: 'es-es' },
    twilio: { authToken: [], insecure: true },
  } as const
  await using app = await buildApp(config, { translator: new FakeTranslator() })
  const port = Number(new URL(await app.listen()).port)
  const head = `POST ${VOICE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`
  const cases: [string, RegExp][] = [
    [`${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1.1 400 /],
    [`${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`, /^HTTP\/1.1 400 /],
    [`${head}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`, /^HTTP\/1.1 400 /],
    [`${head}X: a\nY: b\r\nContent-Length: 0\r\n\r\n`, /^HTTP\/1.1 400 /],
    [`${head}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`, /^HTTP\/1.1 400 /],
    [`${head}X: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
    [`${head}${'X: a\r\n'.repeat(10_000)}\r\n`, /^HTTP\/1.1 431 /],
    [`${head}\0: a\r\n\r\n`, /^HTTP\/1.1 400 /],
  ]
  for (const [text, answer] of cases) expect(await exchanged(port, text), text.slice(0, 200)).toMatch(answer)
  expect((await fetch(`http://127.0.0.1:${port}/live`)).status).toBe(200)
})

test('other methods return 404', async () => {
  await using bridge = await Harness.open()
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const)
    expect((await bridge.app.inject({ method, url: VOICE })).statusCode, method).toBe(404)
  const address = bridge.app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  for (const text of [
    `TRACE ${VOICE} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    `POST ${VOICE} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ])
    expect(await exchanged(port, text, { ms: 500 }), text.slice(0, 20)).not.toMatch(/^HTTP\/1.1 [123]/)
  expect(bridge.relay.admitted).toEqual([])
})

test('admits any caller name and logs none', async () => {
  await using bridge = await Harness.open()
  let call = 0
  const names = fc.oneof(
    fc.constantFrom(
      '',
      'anonymous',
      '+266696687',
      'sip:someone@example.com',
      'client:x',
      '😀',
      'x'.repeat(500),
    ),
    fc.string({ unit: 'binary', maxLength: 100 }).map(text => text.toWellFormed()),
  )
  await fc.assert(
    fc.asyncProperty(names, names, async (From, CallerName) => {
      const answer = await bridge.post(VOICE, { ...fieldsOf(`CA${++call}`), From, CallerName })
      expect(answer.status).toBe(200)
      expect(answer.body).toMatch(
        /^<\?xml [^>]*><Response><Connect><Stream [^<]*<Parameter [^<]*<\/Stream><\/Connect><Redirect [^<]*<\/Redirect><\/Response>$/,
      )
      if (From.length > 3) expect(answer.body).not.toContain(From)
    }),
    { numRuns: 200, seed: 24 },
  )
  expect(bridge.log.complaints).toEqual([])
})
