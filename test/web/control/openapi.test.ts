import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { COMMON_ERRORS, errorsOf, OPERATIONS } from '../../../src/web/control/control-api.ts'
import { ERROR_TABLE, type ErrorName } from '../../../src/web/control/errors.ts'
import { errorSchema } from '../../../src/web/control/schemas.ts'
import { controlled } from '../../support/web/control-harness.ts'

interface Described {
  operationId: string
  security?: unknown[]
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

async function documented() {
  const it = await controlled()
  const response = await fetch(`${it.url}/v1/openapi.json`)
  expect(response.status).toBe(200)
  const document = (await response.json()) as { paths: Record<string, Record<string, Described>> }
  return { ...it, document }
}

test('the document is valid OpenAPI 3.1', async () => {
  const { document } = await documented()
  const { valid, errors } = await new Validator().validate(structuredClone({ ...document }))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
})

test('contains exactly the routes of the server', async () => {
  const { server, document } = await documented()
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort())
  const ids = OPERATIONS.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const route of described) {
    const [method = '', path = ''] = route.split(' ')
    expect(server.hasRoute({ method, url: `/v1${path.replace(/\{(\w+)\}/g, ':$1')}` }), route).toBe(true)
  }
  const routes =
    server.printRoutes({ commonPrefix: false }).match(/\((GET|POST|PATCH|DELETE|PUT|HEAD)[^)]*\)/g) ?? []
  const count = routes.join(', ').split(',').length
  // Plus the document and its page.
  expect(count).toBe(described.length + 2)
})

test('exactly the documented operations require a key', async () => {
  const { url, document } = await documented()
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) {
      const { status } = await fetch(`${url}/v1${path.replace(/\{\w+\}/g, 'x')}`, {
        method: method.toUpperCase(),
      })
      expect(status, `${method} ${path}`).toBe(401)
    }
  expect((await fetch(`${url}/v1/docs`)).status).toBe(200)
})

test('documents every error with its status, and every error in the table can occur', async () => {
  const { document } = await documented()
  const met = new Set<ErrorName>(['control_closed', 'path_unknown', 'method_not_allowed'])
  for (const operation of OPERATIONS) {
    const { responses } = document.paths[operation.path]![operation.method.toLowerCase()]!
    for (const name of errorsOf(operation)) {
      met.add(name)
      expect(JSON.stringify(responses[ERROR_TABLE[name].status]), `${operation.id} ${name}`).toContain(
        `"${name}"`,
      )
    }
  }
  expect(Array.from(met).sort()).toEqual(Object.keys(ERROR_TABLE).sort())
  expect(COMMON_ERRORS.length).toBeGreaterThan(5)
})

test('the page shows every operation, and runs and loads nothing', async () => {
  const { url } = await controlled()
  const response = await fetch(`${url}/v1/docs`)
  const html = await response.text()
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:$/,
  )
  for (const { path, method, summary } of OPERATIONS) {
    expect(html).toContain(`${method} /v1${path}`)
    expect(html).toContain(summary)
  }
  expect(html).not.toMatch(/<script|onload|src=|@import|url\(|href="(?!#|\/|data:)/)
})

test('the response of every JSON operation matches its schema', async () => {
  const it = await controlled()
  const { ask, join, run, connection, dialer } = it
  await ask('POST', '/rooms', { name: 'r', codeMinutes: 5 })
  join('anna', { speaks: 'en-us', hears: 'es-es', name: 'Anna' })
  join('bob', { speaks: 'es-es', hears: 'es-es' })
  await run(100)
  connection('en-us', 'es-es').sink.result({ utterance: '1', final: true, text: 'one', translation: 'uno' })
  const { id } = (await ask('GET', '/rooms/r/transcript')).body
  await ask('POST', '/rooms/r/calls', { to: '+15551230001' })
  dialer.calls[0]?.settle({ kind: 'answered', participant: 'x' })
  await ask('POST', '/rooms/r/recording')
  const { announcements } = (await ask('POST', '/rooms/r/play', { file: 'jingle' })).body
  const { code } = (await ask('POST', '/rooms/r/codes')).body
  const bodies: Record<string, unknown> = {
    createRoom: { codeMinutes: 1 },
    changeParticipant: { muted: true },
    dial: { to: '+15551230001' },
    say: { text: 'a', language: 'en-us' },
    play: { file: 'jingle' },
    pauseRecording: { paused: true },
  }
  const parts = {
    room: 'r',
    participant: 'anna',
    call: 'call-1',
    announcement: announcements[0].id,
    code,
    transcript: id,
  }
  // Deletions run last, and the room’s after all others.
  const order = (operation: (typeof OPERATIONS)[number]) =>
    operation.method !== 'DELETE' ? 0 : operation.id === 'endRoom' ? 2 : 1
  const checked: string[] = []
  for (const operation of OPERATIONS.toSorted((a, b) => order(a) - order(b))) {
    const { answer, method, path, id: name, status } = operation
    if (!answer) continue
    const filled = path.replace(/\{(\w+)\}/g, (_, part) => parts[part as keyof typeof parts])
    const got = await ask(method, filled, bodies[name])
    expect(got.status, `${name} ${got.text}`).toBe(status)
    expect(answer.safeParse(got.body).error?.issues, name).toBeUndefined()
    checked.push(name)
  }
  expect(checked.length).toBe(OPERATIONS.length - 1)
  expect(errorSchema.safeParse((await ask('GET', '/rooms/none')).body).success).toBe(true)
})

test('schemas reject additional properties', () => {
  for (const { id, answer, body, params, query } of OPERATIONS)
    for (const schema of [answer, body, params, query])
      if (schema)
        expect(JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })), id).toContain(
          '"additionalProperties":false',
        )
})
