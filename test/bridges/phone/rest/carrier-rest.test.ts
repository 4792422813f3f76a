import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { CarrierRest } from '../../../../src/bridges/phone/rest/carrier-rest.ts'

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly body: string
}

/** A server that answers every request with `status` and `body`. */
async function api(status: number, body: string, headers: Record<string, string> = {}) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    seen.push({
      ...{ method: request.method, url: request.url },
      authorization: request.headers.authorization,
      type: request.headers['content-type'],
      body: await text(request),
    })
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const rest = new CarrierRest({
    ...{ title: 'Acme', base, authorization: 'Bearer key' },
    failure: (_status, { code }) => ({ carrierCode: code as number | undefined, meaning: 'not possible' }),
  })
  const close = () => new Promise<void>(done => server.close(() => done()))
  return { rest, seen, [Symbol.asyncDispose]: close }
}

async function text(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

test('sends forms and JSON with the credentials, and returns the fields', async () => {
  await using acme = await api(200, '{"sid":"1"}')
  expect(await acme.rest.request('POST', '/calls', new URLSearchParams({ To: '+34 1' }))).toEqual({
    sid: '1',
  })
  await acme.rest.request('PATCH', '/calls/1', { state: 'over' })
  await acme.rest.request('GET', '/calls/1')
  const authorization = 'Bearer key'
  expect(acme.seen).toEqual([
    {
      ...{ method: 'POST', url: '/calls', authorization },
      ...{ type: 'application/x-www-form-urlencoded', body: 'To=%2B34+1' },
    },
    {
      ...{ method: 'PATCH', url: '/calls/1', authorization },
      ...{ type: 'application/json', body: '{"state":"over"}' },
    },
    { method: 'GET', url: '/calls/1', authorization, type: undefined, body: '' },
  ])
})

test('accepts an empty response', async () => {
  await using acme = await api(204, '')
  expect(await acme.rest.request('DELETE', '/calls/1')).toEqual({})
})

test.each([
  [404, 'gone'],
  [429, 'later'],
  [500, 'unsure'],
  [503, 'unsure'],
  [401, 'refused'],
  [422, 'refused'],
] as const)('converts HTTP %i to %s', async (status, kind) => {
  await using acme = await api(status, '{"code":7}')
  await expect(acme.rest.request('GET', '/')).rejects.toMatchObject({
    ...{ kind, carrierCode: 7 },
    message: `Acme error 7 (HTTP ${status}): not possible`,
  })
})

test.each([
  ['no JSON', '<html>'],
  ['no object', '"text"'],
  ['too long', `{"a":"${'x'.repeat(300_000)}"}`],
])('does not trust a successful response with %s', async (_, body) => {
  await using acme = await api(200, body)
  await expect(acme.rest.request('POST', '/')).rejects.toMatchObject({ kind: 'unsure' })
})

test('does not follow redirects, which would receive the credentials', async () => {
  await using other = await api(200, '{}')
  await using acme = await api(302, '', { location: 'http://127.0.0.1:1/' })
  await expect(acme.rest.request('POST', '/')).rejects.toMatchObject({ kind: 'unsure' })
  expect(other.seen).toEqual([])
})

test('reports that a request was not executed if nothing listens', async () => {
  const acme = await api(200, '{}')
  await acme[Symbol.asyncDispose]()
  await expect(acme.rest.request('POST', '/')).rejects.toMatchObject({ kind: 'later' })
})
