import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { contentPolicy } from '../../../net/http-hardening.ts'
import { ERROR_TABLE, type ErrorName } from '../errors.ts'
import type { ServiceSettings } from '../settings.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { errorSchema } from './reply-schemas.ts'

type Json = Readonly<Record<string, unknown>>

/** Settings that limit clients. */
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
    enum: allowed,
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

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h2{border-top:1px solid #ccc;padding-top:1rem}code,pre{font:14px/1.4 ui-monospace,monospace;background:#f3f3f3}
code{padding:0 .2em}pre{padding:.6em;overflow:auto}table{border-collapse:collapse;width:100%}
td,th{border:1px solid #ddd;padding:.3em .5em;text-align:left;vertical-align:top}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}code,pre{background:#2a2a2a}td,th{border-color:#444}}`

/** Renders the HTTP interface as one HTML page, without scripts or external resources. */
export function docsPage(settings: ServiceSettings): string {
  const limits = openApi(settings)['x-limits'] as Readonly<Record<string, number>>
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Translation service</title><style>${STYLE}</style></head><body>
<h1>Translation service</h1>
<p>Requests carry the API key in the header <code>x-api-key</code>. Errors are <code>{ code, error, description }</code>.
For programs: <a href="/docs/json">/docs/json</a> (OpenAPI 3.1).</p>
${OPERATIONS.map(operation).join('\n')}
<h2>Limits</h2>
${table(
  ['setting', 'value'],
  Object.entries(limits).map(([name, value]) => [`<code>${escaped(name)}</code>`, String(value)]),
)}
</body></html>
`
}

function operation({ method, path, summary, about, open, query, form, errors }: Operation): string {
  const fields = form ?? query ?? []
  return `<h2 id="${escaped(path)}"><code>${method} ${escaped(path)}</code></h2>
<p><b>${escaped(summary)}.</b> ${marked(about)}${open ? ' No key required.' : ''}</p>
${form ? '<p>The body is <code>multipart/form-data</code> with these fields and <code>file</code>.</p>' : ''}
${fields.length > 0 ? table(['name', 'allowed', ''], fields.map(field)) : ''}
<details><summary>Errors</summary>${table(
    ['status', 'code', 'error', 'cause'],
    errors.map(name => {
      const { status, code, cause } = ERROR_TABLE[name]
      return [String(status), `<code>${code}</code>`, `<code>${name}</code>`, marked(cause)]
    }),
  )}</details>`
}

function field({ name, about, allowed, form, needed, repeated }: Parameter): string[] {
  const values = allowed?.map(value => `<code>${escaped(value)}</code>`).join(', ')
  const kinds = { choice: '', language: 'like <code>en-us</code>', json: 'JSON object', text: 'text' }
  const notes = [needed ? 'required' : '', repeated ? 'repeatable' : ''].filter(Boolean).join(', ')
  return [`<code>${escaped(name)}</code>`, values ?? kinds[form], `${marked(about)} ${notes}`.trim()]
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map(text => `<th>${text}</th>`).join('')
  const body = rows.map(row => `<tr>${row.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<table><tr>${head}</tr>\n${body}</table>`
}

/** Renders text between backticks as code. */
function marked(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}

/** Adds `GET /docs` and `GET /docs/json`: the interface and its limits. Rendered once. */
export function addDocsRoutes(app: FastifyInstance, settings: ServiceSettings): void {
  const page = docsPage(settings)
  const document = JSON.stringify(openApi(settings))
  const headers = {
    'content-security-policy': contentPolicy("style-src 'unsafe-inline'"),
  }
  app.get('/docs', (_request, reply) => reply.headers(headers).type('text/html; charset=utf-8').send(page))
  app.get('/docs/json', (_request, reply) =>
    reply.headers(headers).type('application/json; charset=utf-8').send(document),
  )
}
