import { z } from 'zod'
import { ERROR_TABLE, type ErrorName } from '../error-table.ts'
import type { ServiceSettings } from '../service-config.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import type { Parameter } from './parameter.ts'
import { errorSchema } from './reply-schemas.ts'

type Json = Readonly<Record<string, unknown>>

/** Settings that limit clients. */
const LIMITS = [
  'maxSessions',
  'maxAttemptsPerMinute',
  'maxFragmentBytes',
  'maxBacklogMs',
  'admitBehindMs',
  'maxBehindMs',
  'endBehindMs',
  'maxTextLength',
  'idleTimeoutMs',
  'textIdleTimeoutMs',
  'maxFileBytes',
  'maxFileMs',
  'maxFileTextLength',
  'maxBatchJobs',
  'uploadTimeoutMs',
  'batchTimeoutMs',
] as const satisfies readonly (keyof ServiceSettings)[]

const ABOUT = `HTTP half of a real-time translation service. Its other half are four Socket.IO namespaces, \`/stt\`,
\`/translator\`, \`/tts\` and \`/sts\`. Every error is \`{ code, error, description }\`; an unknown path answers
404 \`not_found/path_unknown\`.`

/** Returns the HTTP interface as an OpenAPI 3.1 document with the effective limits. */
export function openApi(settings: ServiceSettings): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Translation service', version: '1', description: ABOUT },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    'x-limits': Object.fromEntries(LIMITS.map(name => [name, settings[name]])),
    paths: Object.fromEntries(
      OPERATIONS.map(operation => [
        operation.path,
        { [operation.method.toLowerCase()]: described(operation, settings) },
      ]),
    ),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Error: jsonSchema(errorSchema) },
    },
  }
}

function described(operation: Operation, settings: ServiceSettings): Json {
  const { id, summary, about, open, query = [], form, answers, errors } = operation
  const inPath = Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    operationId: id,
    summary,
    description: about,
    ...(open ? { security: [] } : {}),
    parameters: [...inPath, ...query.map(inQuery)],
    ...(form ? { requestBody: requestBody(form, settings) } : {}),
    responses: {
      200: { description: summary, content: contents(answers) },
      ...failures(errors),
    },
  }
}

function inQuery(parameter: Parameter): Json {
  const { name, about, needed, repeated, example } = parameter
  return {
    name,
    in: 'query',
    description: about,
    required: needed ?? false,
    schema: parameterSchema(parameter),
    ...(repeated ? { style: 'form', explode: true } : {}),
    ...(example === undefined ? {} : { example }),
  }
}

/** Returns the JSON schema of a parameter. */
function parameterSchema({ form, allowed, repeated }: Parameter): Json {
  const one = {
    type: 'string',
    ...(allowed ? { enum: allowed } : {}),
    ...(form === 'language' ? { pattern: '^[A-Za-z]{2,3}-([A-Za-z]{2}|[0-9]{3})$' } : {}),
    ...(form === 'json' ? { contentMediaType: 'application/json' } : {}),
  }
  return repeated ? { type: 'array', items: one } : one
}

function requestBody(form: readonly Parameter[], settings: ServiceSettings): Json {
  const file = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: `The file: audio, or UTF-8 text for \`translator\` and \`tts\`. At most ${settings.maxFileBytes} bytes, ${settings.maxFileMs} ms of audio, ${settings.maxFileTextLength} characters.`,
  }
  const fields = form.map(parameter => [
    parameter.name,
    {
      ...parameterSchema(parameter),
      description: parameter.about,
      ...(parameter.name === 'text' ? { maxLength: settings.maxFileTextLength } : {}),
      ...(parameter.example === undefined ? {} : { examples: [parameter.example] }),
    },
  ])
  const schema = {
    type: 'object',
    properties: { ...Object.fromEntries(fields), file },
    required: form.filter(({ needed }) => needed).map(({ name }) => name),
    additionalProperties: false,
  }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}

function contents(answers: Operation['answers']): Json {
  return Object.fromEntries(
    Object.entries(answers).map(([type, schema]) => [type, schema ? { schema: jsonSchema(schema) } : {}]),
  )
}

/** Groups errors by status, each with its cause. */
function failures(errors: readonly ErrorName[]): Json {
  const byStatus = Object.groupBy(errors, name => ERROR_TABLE[name].status)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, names = []]) => [
      status,
      {
        description: names
          .map(name => `\`${ERROR_TABLE[name].code}/${name}\`: ${ERROR_TABLE[name].cause}`)
          .join('\n\n'),
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

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema)
  return rest
}
