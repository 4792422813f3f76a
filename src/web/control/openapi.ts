import { z } from 'zod'
import { ERROR_TABLE, type ErrorName } from './errors.ts'
import type { AnyOperation } from './operation.ts'
import { errorSchema } from './schemas.ts'

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
    description,
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

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:light-dark(#222,#ddd);background:light-dark(#fff,#181818)}
a{color:light-dark(#0b6b5d,#5fd0ba)}h1,h2,h3{line-height:1.2;overflow-wrap:anywhere}h2{border-top:1px solid light-dark(#ccc,#444);padding-top:1rem}
code,pre{font:14px/1.4 ui-monospace,monospace;background:light-dark(#f3f3f3,#2a2a2a)}h3 code{font-size:1rem;font-weight:700}code{padding:0 .2em}
table{border-collapse:collapse;width:100%}td,th{border:1px solid light-dark(#ddd,#444);padding:.3em .5em;text-align:left;vertical-align:top}
@media(max-width:40rem){table,tbody,tr,td{display:block}th{display:none}td{border:0;padding:.1em .5em}td:empty{display:none}tr{border-bottom:1px solid light-dark(#ddd,#444);padding:.3em 0}code{overflow-wrap:anywhere}}`

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

interface Described {
  readonly parameters: readonly {
    name: string
    in: string
    required: boolean
    description?: string
    schema: Schema
  }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}

/** Renders the control API as one page for people, without scripts or external resources. */
export function docsPage(operations: readonly AnyOperation[]): string {
  const { paths } = openApi(operations) as { paths: Record<string, Record<string, Described>> }
  const groups = Object.groupBy(operations, ({ group }) => group)
  const sections = Object.entries(groups).map(
    ([group, members = []]) =>
      `<h2>${escaped(group)}</h2>\n${members.map(each => section(each, paths[each.path]![each.method.toLowerCase()]!)).join('\n')}`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Dragoman control API</title><style>${STYLE}</style></head><body>
<h1>Dragoman control API</h1>
<p>Requests carry a key: <code>Authorization: Bearer &lt;key&gt;</code>. Errors are <code>{ code, error, description }</code>.
For programs: <a href="/v1/openapi.json">/v1/openapi.json</a> (OpenAPI 3.1).</p>
${sections.join('\n')}
</body></html>
`
}

function section(operation: AnyOperation, { parameters, requestBody }: Described): string {
  const body = requestBody?.content['application/json'].schema
  const rows = [
    ...parameters
      .filter(({ name }) => name !== 'Idempotency-Key')
      .map(({ name, in: place, required, description, schema }) =>
        row(name, place, required, { ...schema, ...(description === undefined ? {} : { description }) }),
      ),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) =>
      row(name, 'body', body?.required?.includes(name) ?? false, schema),
    ),
  ]
  const errors = errorsOf(operation).map(name => {
    const { status, cause } = ERROR_TABLE[name]
    return [String(status), `<code>${name}</code>`, marked(cause)]
  })
  return `<h3 id="${operation.id}"><code>${operation.method} /v1${escaped(operation.path)}</code></h3>
<p><b>${escaped(operation.summary)}.</b> ${marked(operation.about)}</p>
${rows.length > 0 ? table(['name', 'in', 'allowed', ''], rows) : ''}
<details><summary>Errors</summary>${table(['status', 'error', 'cause'], errors)}</details>`
}

function row(name: string, place: string, required: boolean, schema: Schema): string[] {
  const fallback =
    schema.default === undefined ? '' : `default <code>${escaped(JSON.stringify(schema.default))}</code>`
  const notes = [marked(schema.description ?? ''), required ? 'needed' : '', fallback]
    .filter(Boolean)
    .join(' ')
  return [`<code>${escaped(name)}</code>`, place, allowed(schema), notes]
}

function allowed({ type, enum: values, anyOf }: Schema): string {
  if (values) return values.map(value => `<code>${escaped(String(value))}</code>`).join(', ')
  return anyOf ? anyOf.map(allowed).join(' or ') : escaped(String(type ?? ''))
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map(text => `<th>${text}</th>`).join('')
  const body = rows.map(cells => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<table><tr>${head}</tr>\n${body}</table>`
}

/** Text between backticks becomes code. */
function marked(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}
