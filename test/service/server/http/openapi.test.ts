import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { ERROR_TABLE, type ErrorName } from '../../../../src/service/server/errors.ts'
import { OPERATIONS } from '../../../../src/service/server/http/operations.ts'
import {
  batchSchemas,
  errorSchema,
  healthSchema,
  languagesSchema,
  voicesSchema,
} from '../../../../src/service/server/http/reply-schemas.ts'
import { WAV } from '../../../support/service/batch-failures.ts'
import { fakeService } from '../../../support/service/fake-service.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'
import { type Fields, upload } from '../../../support/service/upload.ts'

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, unknown>; security?: unknown[] }>>
  'x-limits': Record<string, number>
}

async function documented(config = {}) {
  const fake = await fakeService(config, { engines: quickEngines().engines })
  const response = await fake.get('/docs/json', '')
  expect(response.status).toBe(200)
  return { ...fake, document: (await response.json()) as Document }
}

/** Methods and paths in the tree that the server prints: each line is indented below the path it continues. */
function routesOf(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap(line => {
    const [, indent = '', part = '', methods = ''] = /^(.*── )([/*]\S*) \((.+)\)$/.exec(line) ?? []
    if (part === '') return []
    above.length = indent.length / 4 - 1
    above.push(part)
    const path = above.join('').replace(/:(\w+)/g, '{$1}')
    return methods.split(', ').map(method => `${method} ${path}`)
  })
}

test('the document is valid OpenAPI 3.1', async () => {
  const { document } = await documented()
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone({ ...document }))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test('lists exactly the routes of the service', async () => {
  const { service, document } = await documented()
  const routes = routesOf(service.app.printRoutes({ commonPrefix: false })).filter(
    route => !route.startsWith('HEAD'),
  )
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  expect(routes.sort()).toEqual(described.sort())
  expect(routes.length).toBeGreaterThan(5)
})

test('documents every error that HTTP has, with its status', async () => {
  const { document } = await documented()
  const text = JSON.stringify(document)
  for (const [name, { status, code }] of Object.entries(ERROR_TABLE))
    if (status !== 0) expect(text, name).toContain(`${code}/${name}`)
  for (const { path, method, errors } of OPERATIONS)
    for (const name of errors) {
      const { status } = ERROR_TABLE[name as ErrorName]
      expect(status, name).toBeGreaterThanOrEqual(400)
      expect(document.paths[path]?.[method.toLowerCase()]?.responses).toHaveProperty(String(status))
    }
})

test('shows the effective limits', async () => {
  const { document } = await documented({ maxFileBytes: 12_345 })
  expect(document['x-limits'].maxFileBytes).toBe(12_345)
  expect(JSON.stringify(document.paths)).toContain('12345 bytes')
})

test('requires a key exactly where the document does', async () => {
  const { url, document } = await documented()
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { security }] of Object.entries(methods)) {
      const { status } = await fetch(url + path.replace(/\{\w+\}/, 'x'), { method: method.toUpperCase() })
      expect(status === 401, path).toBe(security === undefined)
    }
})

describe('responses match their schemas', () => {
  const check = (schema: z.ZodType, value: unknown) =>
    expect(schema.safeParse(value).error?.issues).toBeUndefined()

  test('of lists, health and errors', async () => {
    const { get } = await documented()
    check(healthSchema, await (await get('/health')).json())
    check(languagesSchema, await (await get('/api/languages')).json())
    check(voicesSchema, await (await get('/api/voices')).json())
    check(errorSchema, await (await get('/api/voices?mode=x')).json())
  })

  const es = { languageIdSource: 'en-us', languageIdTarget: 'es-es' }
  test.each([
    ['stt', { file: WAV }],
    ['translator', { ...es, text: 'hello' }],
    ['tts', { ...es, text: 'HELLO' }],
    ['tts', { ...es, text: 'HELLO', dataEncoding: 'base64' }],
    ['sts', { ...es, file: WAV }],
  ] as const)('of batch mode %s', async (mode, fields: Fields) => {
    const { url } = await documented()
    const answer = (await (await upload(url, { mode, ...fields })).json()) as Record<string, unknown>
    check(batchSchemas[mode], answer)
    for (const [other, schema] of Object.entries(batchSchemas))
      if (other !== mode) expect(schema.safeParse(answer).success, other).toBe(false)
  })
})

test('the page shows every operation, and runs nothing', async () => {
  const { get } = await documented()
  const response = await get('/docs', '')
  const html = await response.text()
  expect(response.headers.get('content-type')).toContain('text/html')
  for (const { path } of OPERATIONS) expect(html).toContain(path)
  expect(html).not.toMatch(/<script|onload|src=|@import|url\(|href="(?!#|\/|data:)/)
  expect(html).toContain('curl -X POST &#34;$URL/api/batch/file&#34; \\\n  -H &#34;x-api-key: $KEY&#34;')
})
