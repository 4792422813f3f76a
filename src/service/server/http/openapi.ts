import type {
  ApiDescription,
  JsonSchema,
  OperationDescription,
  ParameterDescription,
} from '../../../net/openapi.ts'
import { jsonSchema } from '../../../net/openapi.ts'
import { ERROR_TABLE } from '../errors.ts'
import type { BoundSettings } from '../limits.ts'
import { OPERATIONS, type ServiceOperation } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { errorSchema } from './reply-schemas.ts'

/** Settings and limits that clients meet. */
const LIMITS = [
  'maxSessions',
  'maxAttemptsPerMinute',
  'maxFragmentBytes',
  'maxBacklogMs',
  'admitLagMs',
  'warnLagMs',
  'endLagMs',
  'maxTextLength',
  'idleTimeoutMs',
  'textIdleTimeoutMs',
  'maxFileBytes',
  'maxFileMs',
  'maxFileTextLength',
  'maxBatchJobs',
  'uploadTimeoutMs',
  'batchTimeoutMs',
] as const satisfies readonly (keyof BoundSettings)[]

const ABOUT = `HTTP half of a real-time translation service. Its other half are four Socket.IO namespaces, \`/stt\`,
\`/translator\`, \`/tts\` and \`/sts\`. Requests carry the API key in the header \`x-api-key\`. Every error is
\`{ code, error, description }\`; an unknown path answers 404 \`not_found/path_unknown\`.`

/** Returns the description of the HTTP interface with the effective limits. */
export function serviceApi(settings: BoundSettings): ApiDescription {
  return {
    title: 'Translation service',
    about: ABOUT,
    base: '/',
    document: '/docs/json',
    page: '/docs',
    securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    security: [{ apiKey: [] }],
    error: errorSchema,
    limits: Object.fromEntries(LIMITS.map(name => [name, settings[name]])),
    operations: OPERATIONS.map(operation => describe(operation, settings)),
  }
}

function describe(operation: ServiceOperation, settings: BoundSettings): OperationDescription {
  const { path, open, query = [], form, answers, errors } = operation
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' },
  }))
  return {
    ...operation,
    ...(open && { security: [] }),
    parameters: [...inPath, ...query.map(queryParameter)],
    ...(form && {
      body: { type: 'multipart/form-data' as const, required: true, schema: formSchema(form, settings) },
    }),
    status: 200,
    answers: Object.fromEntries(
      Object.entries(answers).map(([type, schema]) => [type, schema && jsonSchema(schema)]),
    ),
    errors: errors.map(name => ({ name, ...ERROR_TABLE[name] })),
  }
}

function queryParameter(parameter: Parameter): ParameterDescription {
  const { name, about, needed, repeated, example } = parameter
  return {
    name,
    in: 'query',
    description: about,
    required: needed ?? false,
    schema: parameterSchema(parameter),
    ...(repeated && { style: 'form' as const, explode: true }),
    ...(example !== undefined && { example }),
  }
}

function parameterSchema({ form, allowed, repeated }: Parameter): JsonSchema {
  const one = {
    type: 'string',
    ...(allowed && { enum: allowed }),
    ...(form === 'language' && { pattern: '^[A-Za-z]{2,3}-([A-Za-z]{2}|[0-9]{3})$' }),
    ...(form === 'json' && { contentMediaType: 'application/json' }),
  }
  return repeated ? { type: 'array', items: one } : one
}

function formSchema(form: readonly Parameter[], settings: BoundSettings): JsonSchema {
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
      ...(parameter.name === 'text' && { maxLength: settings.maxFileTextLength }),
      ...(parameter.example !== undefined && { examples: [parameter.example] }),
    },
  ])
  return {
    type: 'object',
    properties: { ...Object.fromEntries(fields), file },
    required: form.filter(({ needed }) => needed).map(({ name }) => name),
    additionalProperties: false,
  }
}
