import { z } from 'zod'
import { errorSchema } from './answer-schemas.ts'
import { ERROR_TABLE, type ErrorName } from './error-table.ts'
import type { AnyOperation } from './operation.ts'

type Json = Readonly<Record<string, unknown>>

const ABOUT = `Rooms, participants, calls, sounds, captions and transcripts of a bridge. Every error is
\`{ code, error, description }\`. Requests other than GET accept an \`Idempotency-Key\`: a repeated request within 24 hours
returns the first response and has no further effect.`

/** Errors of every request. */
export const COMMON_ERRORS: readonly ErrorName[] = [
  'key_missing',
  'key_wrong',
  'too_many_attempts',
  'too_many_requests',
  'request_malformed',
  'value_not_allowed',
  'field_unknown',
  'unexpected',
]
/** Errors of every request with a body. */
const BODY_ERRORS: readonly ErrorName[] = ['not_json', 'too_large']

/** Returns the errors that `operation` can return. */
export function errorsOf(operation: AnyOperation): readonly ErrorName[] {
  const changes = operation.method !== 'GET'
  return [
    ...COMMON_ERRORS,
    ...(changes ? [...BODY_ERRORS, 'idempotency_reused' as const, 'capacity' as const] : []),
    ...operation.errors,
  ].filter((name, index, all) => all.indexOf(name) === index)
}

/** Returns the control API as an OpenAPI 3.1 document. */
export function openApi(operations: readonly AnyOperation[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const each of operations) {
    paths[each.path] ??= {}
    paths[each.path]![each.method.toLowerCase()] = described(each)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Dragoman control API', version: '1', description: ABOUT },
    servers: [{ url: '/v1' }],
    security: [{ bearer: [] }],
    tags: Array.from(new Set(operations.map(({ group }) => group)), name => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        link: { type: 'apiKey', in: 'query', name: 'token' },
      },
      schemas: { Error: jsonSchema(errorSchema) },
    },
  }
}

function described(operation: AnyOperation): Json {
  const { id, summary, about, group, access = 'key', params, query, body, status, method } = operation
  return {
    operationId: id,
    summary,
    ...(about === '' ? {} : { description: about }),
    tags: [group],
    ...(access === 'link' ? { security: [{ bearer: [] }, { link: [] }] } : {}),
    parameters: [
      ...fields(params, 'path'),
      // The link token is a security scheme.
      ...fields(query, 'query').filter(({ name }) => name !== 'token'),
      ...(method === 'GET' ? [] : [IDEMPOTENCY]),
    ],
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { schema: jsonSchema(body, 'input') } },
          },
        }
      : {}),
    responses: { [status]: { description: summary, content: contents(operation) }, ...failures(operation) },
  }
}

const IDEMPOTENCY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
}

function fields(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...form }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: form,
  }))
}

function contents({ answer, types = [] }: AnyOperation): Json {
  return {
    ...(answer ? { 'application/json': { schema: jsonSchema(answer) } } : {}),
    ...Object.fromEntries(types.map(type => [type, { schema: { type: 'string' } }])),
  }
}

/** Errors by status, each named with its cause. */
function failures(operation: AnyOperation): Json {
  const byStatus = Object.groupBy(errorsOf(operation), name => ERROR_TABLE[name].status)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, names = []]) => [
      status,
      {
        description: names.map(name => `\`${name}\`: ${ERROR_TABLE[name].cause}`).join('\n\n'),
        content: {
          'application/json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Error' },
                { type: 'object', properties: { error: { type: 'string', enum: names } } },
              ],
            },
          },
        },
      },
    ]),
  )
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
