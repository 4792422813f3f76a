import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ApiDescription, jsonSchema, openApiDocument, schemaParameters } from '../../src/net/openapi.ts'
import { addOpenApiRoutes, openApiPage } from '../../src/net/openapi-page.ts'

const ROOM = z.strictObject({ room: z.string().describe('Name of the `room`.') })
const PAGE = z.strictObject({ limit: z.int().default(50), after: z.string().optional() })
const NEW = z.strictObject({ name: z.string(), tags: z.array(z.enum(['a', 'b'])).optional() })
const CONFLICT = { name: 'room_exists', code: 'conflict', status: 409, cause: 'The <room> exists.' }

const API: ApiDescription = {
  title: 'Rooms & more',
  about: 'Needs a `key`.',
  base: '/v1',
  document: '/openapi.json',
  page: '/docs',
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  security: [{ bearer: [] }],
  error: z.strictObject({ error: z.string() }),
  limits: { maxRooms: 7 },
  operations: [
    {
      id: 'list',
      method: 'GET',
      path: '/rooms/{room}',
      group: 'Rooms',
      summary: 'Lists',
      about: '',
      security: [],
      parameters: [...schemaParameters(ROOM, 'path'), ...schemaParameters(PAGE, 'query')],
      status: 200,
      answers: { 'audio/mpeg': null },
      errors: [],
    },
    {
      id: 'create',
      method: 'POST',
      path: '/rooms/{room}',
      group: 'Rooms',
      summary: 'Creates',
      about: 'Once.',
      parameters: schemaParameters(ROOM, 'path'),
      body: { type: 'application/json', required: true, schema: jsonSchema(NEW, 'input') },
      status: 201,
      answers: { 'application/json': jsonSchema(ROOM) },
      errors: [CONFLICT, { ...CONFLICT, name: 'room_full' }],
    },
  ],
}

test('the document is valid, with both methods of a path', async () => {
  const document = JSON.parse(JSON.stringify(openApiDocument(API)))
  expect((await new Validator().validate(structuredClone(document))).errors).toBeUndefined()
  expect(Object.keys(document.paths['/rooms/{room}'])).toEqual(['get', 'post'])
  expect(document).toMatchObject({
    info: { title: 'Rooms & more' },
    servers: [{ url: '/v1' }],
    tags: [{ name: 'Rooms' }],
    'x-limits': { maxRooms: 7 },
  })
})

test('parameters are the fields of a schema, with what is required and their defaults', () => {
  expect([...schemaParameters(ROOM, 'path'), ...schemaParameters(PAGE, 'query')]).toMatchObject([
    { name: 'room', in: 'path', required: true, description: 'Name of the `room`.' },
    { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 50 } },
    { name: 'after', in: 'query', required: false },
  ])
  expect(schemaParameters(undefined, 'query')).toEqual([])
})

test('errors of one status share a response that names each with its cause', () => {
  const { paths } = openApiDocument(API) as {
    paths: Record<string, Record<string, { security?: unknown; responses: Record<string, unknown> }>>
  }
  const { get, post } = paths['/rooms/{room}']!
  expect(Object.keys(post!.responses)).toEqual(['201', '409'])
  expect(post!.responses['409']).toMatchObject({
    description: '`conflict/room_exists`: The <room> exists.\n\n`conflict/room_full`: The <room> exists.',
  })
  expect(JSON.stringify(post!.responses['409'])).toContain('"enum":["room_exists","room_full"]')
  expect(get!.responses['200']).toEqual({ description: 'Lists', content: { 'audio/mpeg': {} } })
  expect(get!.security).toEqual([])
  expect(post).not.toHaveProperty('security')
})

test('the page shows parameters, bodies, responses, errors and limits, escaped', () => {
  const html = openApiPage(API)
  for (const part of [
    '<title>Rooms &#38; more</title>',
    '<a href="/v1/openapi.json">',
    '<h3 id="list"><code>GET /v1/rooms/{room}</code></h3>',
    'No key required.',
    '<td><code>limit</code></td><td>query</td><td>integer</td><td>Default <code>50</code>.</td>',
    '<td><code>room</code></td><td>path</td><td>string</td><td>Name of the <code>room</code>. Required.</td>',
    '<td><code>tags</code></td><td>body</td><td>any number of: <code>a</code>, <code>b</code></td>',
    'Body: <code>application/json</code>. Response: 201, <code>application/json</code>.',
    '<td>409</td><td><code>conflict</code></td><td><code>room_exists</code></td><td>The &#60;room&#62; exists.</td>',
    '<td><code>maxRooms</code></td><td>7</td>',
  ])
    expect(html).toContain(part)
  expect(openApiPage({ ...API, limits: undefined })).not.toContain('Limits')
})

test('without a prefix, paths are those of the server', () => {
  expect(openApiPage({ ...API, base: '/' })).toContain('<code>GET /rooms/{room}</code>')
})

test('both forms are served below the prefix, and the page loads nothing', async () => {
  await using app = Fastify()
  await app.register(async scope => addOpenApiRoutes(scope, API, { exposeHeadRoute: false }), {
    prefix: '/v1',
  })
  const document = await app.inject('/v1/openapi.json')
  expect(document.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument(API))))
  const page = await app.inject('/v1/docs')
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.body).toBe(openApiPage(API))
  expect((await app.inject({ method: 'HEAD', url: '/v1/docs' })).statusCode).toBe(404)
})
