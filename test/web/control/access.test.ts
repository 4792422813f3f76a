import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { controlled, KEY, OTHER_KEY } from '../../support/web/control-harness.ts'

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('keys', () => {
  test('accepts a valid key; rejects everything else without giving a reason', async () => {
    const { ask, log } = await controlled()
    for (const authorization of [
      `Bearer ${KEY}`,
      `bearer ${OTHER_KEY}`,
      `Bearer   ${KEY} `.replace(/ {2,}/, ' '),
    ])
      expect((await ask('GET', '/rooms', undefined, { authorization })).status).toBe(200)
    for (const authorization of ['', 'Bearer', `Basic ${KEY}`, KEY, `Bearer ${KEY} ${KEY}`])
      expect(await ask('GET', '/rooms', undefined, { authorization }), authorization).toMatchObject({
        status: 401,
        body: { code: 'unauthorized', error: 'key_missing' },
      })
    for (const key of [`${KEY}x`, KEY.slice(1), 'Q7', KEY.toUpperCase()]) {
      const refused = await ask('GET', '/rooms', undefined, bearer(key))
      expect(refused).toMatchObject({ status: 401, body: { error: 'key_wrong' } })
      expect(refused.headers.get('www-authenticate')).toContain('Bearer')
      expect(refused.text).not.toContain(key)
    }
    expect(JSON.stringify(log.all)).not.toContain(KEY)
  })

  test('ignores a key in the address', async () => {
    const { ask, url } = await controlled()
    for (const name of ['key', 'token', 'access_token'])
      expect((await fetch(`${url}/v1/rooms?${name}=${KEY}`)).status).toBe(401)
    expect((await ask('GET', `/rooms?token=${KEY}`)).status).toBe(400)
  })

  test('blocks an address after too many wrong keys, but still accepts a valid one', async () => {
    const { ask, clock } = await controlled({ maxAttemptsPerMinute: 3 })
    const wrong = () => ask('GET', '/rooms', undefined, bearer('wrong'))
    for (let n = 0; n < 3; n++) expect((await wrong()).body.error).toBe('key_wrong')
    const limited = await wrong()
    expect(limited).toMatchObject({ status: 429, body: { code: 'limit', error: 'too_many_attempts' } })
    expect(limited.headers.get('retry-after')).toBe('20')
    expect((await ask('GET', '/rooms')).status).toBe(200)
    clock.advance(20_000)
    expect((await wrong()).body.error).toBe('key_wrong')
  })

  test('limits requests per minute for each key separately', async () => {
    const { ask, clock } = await controlled({ requestsPerMinute: 60 })
    for (let n = 0; n < 20; n++) expect((await ask('GET', '/webhooks')).status).toBe(200)
    const limited = await ask('GET', '/webhooks')
    expect(limited).toMatchObject({ status: 429, body: { error: 'too_many_requests' } })
    expect(limited.headers.get('retry-after')).toBe('1')
    expect((await ask('GET', '/webhooks', undefined, bearer(OTHER_KEY))).status).toBe(200)
    clock.advance(1_000)
    expect((await ask('GET', '/webhooks')).status).toBe(200)
  })

  test('without configured keys, every request is rejected', async () => {
    const { ask } = await controlled({ control: { keys: [] } })
    for (const [method, path] of [
      ['GET', '/rooms'],
      ['POST', '/rooms'],
      ['GET', '/docs'],
      ['GET', '/openapi.json'],
      ['GET', '/rooms/r/captions'],
      ['PUT', '/x'],
    ] as const)
      expect(await ask(method, path), path).toMatchObject({
        status: 404,
        body: { code: 'not_found', error: 'control_closed' },
      })
  })
})

describe('every error has the same format', () => {
  test('for an invalid address', async () => {
    const { ask } = await controlled()
    for (const [method, path, status, error] of [
      ['GET', '/nothing', 404, 'path_unknown'],
      ['GET', '/', 404, 'path_unknown'],
      ['PUT', '/rooms', 405, 'method_not_allowed'],
      ['POST', '/participants/x', 405, 'method_not_allowed'],
      ['OPTIONS', '/rooms', 405, 'method_not_allowed'],
      ['GET', '/rooms/%zz', 400, 'request_malformed'],
      ['GET', '/rooms/%', 400, 'request_malformed'],
      ['GET', `/rooms/${'x'.repeat(129)}`, 400, 'value_not_allowed'],
      ['GET', `/rooms/${'x'.repeat(2_000)}`, 400, 'request_malformed'],
      ['GET', '/rooms?limit=0', 400, 'value_not_allowed'],
      ['GET', '/rooms?limit=1&limit=2', 400, 'value_not_allowed'],
    ] as const) {
      const answer = await ask(method, path)
      expect([answer.status, answer.body.error], path.slice(0, 40)).toEqual([status, error])
      expect(Object.keys(answer.body)).toEqual(['code', 'error', 'description'])
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  test('lists the allowed methods of a path', async () => {
    const { ask } = await controlled()
    expect((await ask('PUT', '/rooms')).headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'POST'])
  })

  test('for an invalid body', async () => {
    const { ask } = await controlled()
    for (const [body, type, status, error] of [
      ['{', 'application/json', 400, 'request_malformed'],
      ['null', 'application/json', 400, 'value_not_allowed'],
      ['[]', 'application/json', 400, 'value_not_allowed'],
      ['"a"', 'application/json', 400, 'value_not_allowed'],
      ['{"__proto__":{"a":1}}', 'application/json', 400, 'request_malformed'],
      ['{"constructor":{"prototype":{"a":1}}}', 'application/json', 400, 'request_malformed'],
      ['{"name":1e400}', 'application/json', 400, 'value_not_allowed'],
      ['{"toString":1}', 'application/json', 400, 'field_unknown'],
      ['name=desk', 'application/x-www-form-urlencoded', 415, 'not_json'],
      ['<a/>', 'text/xml', 415, 'not_json'],
      [`{"name":"${'x'.repeat(70_000)}"}`, 'application/json', 413, 'too_large'],
      [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'application/json', 400, 'value_not_allowed'],
    ] as const) {
      const answer = await ask('POST', '/rooms', body, { 'content-type': type })
      expect([answer.status, answer.body.error], body.slice(0, 40)).toEqual([status, error])
    }
    expect({}).not.toHaveProperty('a')
  })

  test('treats an empty body as absent, with any content type', async () => {
    const { ask, join } = await controlled()
    join('anna')
    for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[])
      expect((await ask('POST', '/rooms/r/codes', undefined, headers)).status).toBe(201)
    expect((await ask('POST', '/rooms/r/recording', { a: 1 })).body.error).toBe('field_unknown')
    expect(
      (await ask('DELETE', '/participants/anna', undefined, { 'content-type': 'application/json' })).status,
    ).toBe(200)
  })

  test('reports an internal error without details, which only the log contains', async () => {
    const { ask, services, log } = await controlled()
    services.plans.find = () => {
      throw new Error('a secret of ours')
    }
    for (const headers of [{}, { 'idempotency-key': 'k' }] as Record<string, string>[]) {
      const answer = await ask('GET', '/rooms/r', undefined, headers)
      expect(answer).toMatchObject({ status: 500, body: { code: 'internal', error: 'unexpected' } })
      expect(answer.text).not.toContain('secret')
      expect((await ask('POST', '/rooms', { name: 'r' }, headers)).status).toBe(500)
    }
    expect(log.complaints).toHaveLength(4)
    expect(log.complaints[0]).toContain('a secret of ours')
  })
})

test('sends no CORS headers, and responses are not cacheable', async () => {
  const { ask } = await controlled()
  const { headers } = await ask('GET', '/rooms', undefined, { origin: 'https://elsewhere.example' })
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('rejects a client without a key before reading its body', async () => {
  const { url } = await controlled()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('data', data => resolve(data.toString()))
    socket.once('error', reject)
  })
  socket.write(
    'POST /v1/rooms HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
  )
  expect(await answer).toMatch(/^HTTP\/1.1 401 /)
  socket.destroy()
})
