import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import { contentPolicy } from './http-hardening.ts'
import {
  type ApiDescription,
  type JsonSchema,
  type OperationDescription,
  openApiDocument,
  type ParameterDescription,
} from './openapi.ts'

/** An HTTP interface as one page for people, without scripts or external resources, and the routes of both forms. */

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:light-dark(#222,#ddd);background:light-dark(#fff,#181818)}
a{color:light-dark(#0b6b5d,#5fd0ba)}h1,h2,h3{line-height:1.2;overflow-wrap:anywhere}h2{border-top:1px solid light-dark(#ccc,#444);padding-top:1rem}
code,pre{font:14px/1.4 ui-monospace,monospace;background:light-dark(#f3f3f3,#2a2a2a)}h3 code{font-size:1rem;font-weight:700}code{padding:0 .2em}
table{border-collapse:collapse;width:100%}td,th{border:1px solid light-dark(#ddd,#444);padding:.3em .5em;text-align:left;vertical-align:top}
@media(max-width:40rem){table,tbody,tr,td{display:block}th{display:none}td{border:0;padding:.1em .5em}td:empty{display:none}tr{border-bottom:1px solid light-dark(#ddd,#444);padding:.3em 0}code{overflow-wrap:anywhere}}`

/** Renders the interface as HTML. */
export function openApiPage(api: ApiDescription): string {
  const { title, about, limits, operations } = api
  const document = escaped(pathOf(api, api.document))
  const groups = Array.from(
    Map.groupBy(operations, ({ group }) => group),
    ([group, members]) => `<h2>${escaped(group)}</h2>\n${members.map(each => section(api, each)).join('\n')}`,
  )
  const rows = Object.entries(limits ?? {}).map(([name, value]) => [code(name), String(value)])
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
<p>${marked(about)}</p>
<p>For programs: <a href="${document}">${document}</a> (OpenAPI 3.1).</p>
${groups.join('\n')}
${rows.length > 0 ? `<h2>Limits</h2>\n${table(['setting', 'value'], rows)}` : ''}
</body></html>
`
}

function section(api: ApiDescription, operation: OperationDescription): string {
  const { id, method, path, summary, about, security, parameters, body, errors, status, answers } = operation
  const { properties = {}, required = [] } = body?.schema ?? {}
  const rows = [
    // Headers are the same for many operations and described in the introduction.
    ...parameters.filter(each => each.in !== 'header').map(parameterRow),
    ...Object.entries(properties).map(([name, schema]) => row(name, 'body', required.includes(name), schema)),
  ]
  const causes = errors.map(({ status, code: general, name, cause }) => [
    String(status),
    code(general),
    code(name),
    marked(cause),
  ])
  return `<h3 id="${escaped(id)}">${code(`${method} ${pathOf(api, path)}`)}</h3>
<p><b>${escaped(summary)}.</b> ${marked(about)}${security?.length === 0 ? ' No key required.' : ''}</p>
${rows.length > 0 ? table(['name', 'in', 'allowed', ''], rows) : ''}
<p>${body ? `Body: ${code(body.type)}. ` : ''}Response: ${[String(status), ...Object.keys(answers).map(code)].join(', ')}.</p>
<details><summary>Errors</summary>${table(['status', 'code', 'error', 'cause'], causes)}</details>`
}

function pathOf({ base }: ApiDescription, path: string): string {
  return base === '/' ? path : base + path
}

function parameterRow({
  name,
  in: place,
  required,
  description,
  schema,
  example,
}: ParameterDescription): string[] {
  return row(name, place, required, {
    ...schema,
    description,
    examples: example === undefined ? [] : [example],
  })
}

function row(name: string, place: string, required: boolean, schema: JsonSchema): string[] {
  const { description = '', default: fallback, examples = [] } = schema
  const notes = [
    marked(description),
    required ? 'Required.' : '',
    fallback === undefined ? '' : `Default ${code(JSON.stringify(fallback))}.`,
    ...examples.map(example => `For example ${code(String(example))}.`),
  ]
  return [code(name), place, allowed(schema), notes.filter(Boolean).join(' ')]
}

function allowed({ type, enum: values, anyOf, items, contentMediaType }: JsonSchema): string {
  if (values) return values.map(value => code(String(value))).join(', ')
  if (anyOf) return anyOf.map(allowed).join(' or ')
  if (items) return `any number of: ${allowed(items)}`
  if (contentMediaType !== undefined) return escaped(contentMediaType)
  return escaped([type ?? ''].flat().join(' or '))
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map(text => `<th>${text}</th>`).join('')
  const body = rows.map(cells => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<table><tr>${head}</tr>\n${body}</table>`
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`
}

/** Renders text between backticks as code. */
function marked(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}

/** Adds the routes of the document and of the page, both rendered once. The prefix of `app` is the path of the interface. */
export function addOpenApiRoutes(
  app: FastifyInstance,
  api: ApiDescription,
  options: RouteShorthandOptions = {},
): void {
  const document = JSON.stringify(openApiDocument(api))
  const page = openApiPage(api)
  const headers = { 'content-security-policy': contentPolicy("style-src 'unsafe-inline'") }
  app.get(api.document, options, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  )
  app.get(api.page, options, (_request, reply) =>
    reply.headers(headers).type('text/html; charset=utf-8').send(page),
  )
}
