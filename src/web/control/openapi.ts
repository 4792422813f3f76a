import {
  type ApiDescription,
  jsonSchema,
  type OperationDescription,
  schemaParameters,
} from '../../net/openapi.ts'
import { ERROR_TABLE, type ErrorName } from './errors.ts'
import type { AnyOperation } from './operation.ts'
import { errorSchema } from './schemas.ts'

const ABOUT = `Rooms, participants, calls, sounds, captions and transcripts of a bridge. Requests carry a key:
\`Authorization: Bearer <key>\`. Every error is \`{ code, error, description }\`. Requests other than GET accept an
\`Idempotency-Key\`: a repeated request within 24 hours returns the first response and has no further effect.`

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

/** Returns the description of the control API. */
export function controlDescription(operations: readonly AnyOperation[]): ApiDescription {
  return {
    title: 'Dragoman control API',
    about: ABOUT,
    base: '/v1',
    document: '/openapi.json',
    page: '/docs',
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      link: { type: 'apiKey', in: 'query', name: 'token' },
    },
    security: [{ bearer: [] }],
    error: errorSchema,
    operations: operations.map(describe),
  }
}

function describe(operation: AnyOperation): OperationDescription {
  const { access, params, query, body, method, answer, types = [] } = operation
  return {
    ...operation,
    ...(access === 'link' && { security: [{ bearer: [] }, { link: [] }] }),
    parameters: [
      ...schemaParameters(params, 'path'),
      // The link token is a security scheme.
      ...schemaParameters(query, 'query').filter(({ name }) => name !== 'token'),
      ...(method === 'GET' ? [] : [IDEMPOTENCY]),
    ],
    body: body && {
      type: 'application/json',
      required: !body.safeParse(undefined).success,
      schema: jsonSchema(body, 'input'),
    },
    answers: {
      ...(answer && { 'application/json': jsonSchema(answer) }),
      ...Object.fromEntries(types.map(type => [type, { type: 'string' }])),
    },
    errors: errorsOf(operation).map(name => ({ name, ...ERROR_TABLE[name] })),
  }
}

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
} as const
