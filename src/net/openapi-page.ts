import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import { curlExample } from './curl-example.ts'
import {
  type ApiDescription,
  type JsonSchema,
  type OperationDescription,
  openApiDocument,
  type ParameterDescription,
} from './openapi.ts'
import { escaped, marked, standaloneHeaders, standalonePage } from './standalone-page.ts'

/** An HTTP interface as one page for people, without scripts or external resources, and the routes of both forms. */

const STYLE = `.api{display:grid;gap:0 2.5rem;max-width:80rem;margin:0 auto;padding:1rem clamp(1rem,3vw,2rem) 4rem}
nav{font-size:.875rem}
nav ul{list-style:none;padding:0}nav li ul{padding-inline-start:0;margin-block:.25rem .75rem}
nav a{display:block;padding:.2rem 0;text-decoration:none;overflow-wrap:anywhere}nav a:hover{text-decoration:underline}nav b{display:block;margin-block-start:.5rem}
nav{max-height:16rem;overflow:auto;padding-inline:1rem;margin-block-end:1.5rem;border:1px solid var(--line);border-radius:12px;background:var(--card)}
.text{min-width:0;display:grid;gap:1rem;align-content:start}
h1{font-size:clamp(1.5rem,1.1rem + 1.9vw,2.375rem)}h2{margin-block-start:2rem;padding-block-start:1.5rem;border-block-start:1px solid var(--line);font-size:1.375rem}
section{display:grid;gap:.75rem;min-width:0}h3{font-size:1rem;margin-block-start:1.25rem}h3 code{font-weight:700}
p code,td code,li code{padding:0 .2em;border-radius:4px;background:var(--sunken)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9375rem}
td,th{border-block-end:1px solid var(--line);padding:.4rem .6rem .4rem 0;text-align:start;vertical-align:top}th{color:var(--faint);font-weight:600}
details summary{cursor:pointer}.text details summary{min-height:2.75rem;display:inline-flex;align-items:center;color:var(--accent);font-weight:600}
@media(min-width:62rem){.api{grid-template-columns:15rem minmax(0,1fr)}nav{position:sticky;inset-block-start:0;align-self:start;max-height:100vh;padding:0;border:0;background:none}}
@media(max-width:40rem){table,tbody,tr,td{display:block}thead{display:none}td{border:0;padding:.1em 0}td:empty{display:none}tr{border-block-end:1px solid var(--line);padding:.4em 0}}
`

/** Renders the interface as HTML. */
export function openApiPage(api: ApiDescription): string {
  const { title, about, limits, operations } = api
  const document = escaped(pathOf(api, api.document))
  const groups = Array.from(Map.groupBy(operations, ({ group }) => group))
  const rows = Object.entries(limits ?? {}).map(([name, value]) => [code(name), String(value)])
  const links = groups.map(
    ([group, members]) => `<li><b>${escaped(group)}</b><ul>${members.map(link).join('')}</ul></li>`,
  )
  const sections = groups.map(
    ([group, members]) =>
      `<h2 id="${anchor(group)}">${escaped(group)}</h2>\n${members.map(each => section(api, each)).join('\n')}`,
  )
  return standalonePage({
    title,
    style: STYLE,
    home: '/',
    body: `<div class="api">
<nav aria-label="Operations"><ul>${links.join('\n')}${rows.length > 0 ? '<li><a href="#limits">Limits</a></li>' : ''}</ul></nav>
<main class="text">
<h1>${escaped(title)}</h1>
<p>${marked(about)}</p>
<p>For programs: <a href="${document}">${document}</a> (OpenAPI 3.1).</p>
<p>The commands below use two variables of the shell:</p>
<pre tabindex="0"><code>export URL=http://localhost:8080   # the address of this server
export KEY=your-key</code></pre>
${sections.join('\n')}
${rows.length > 0 ? `<h2 id="limits">Limits</h2>\n${table(['setting', 'value'], rows)}` : ''}
</main>
</div>`,
  })
}

function link({ id, summary }: OperationDescription): string {
  return `<li><a href="#${escaped(id)}">${escaped(summary)}</a></li>`
}

function anchor(group: string): string {
  return escaped(`group-${group.toLowerCase().replaceAll(/\W+/g, '-')}`)
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
  return `<section aria-labelledby="${escaped(id)}"><h3 id="${escaped(id)}">${code(`${method} ${pathOf(api, path)}`)}</h3>
<p><b>${escaped(summary)}.</b> ${marked(about)}${security?.length === 0 ? ' No key required.' : ''}</p>
${rows.length > 0 ? table(['name', 'in', 'allowed', 'meaning'], rows) : ''}
<p>${body ? `Body: ${code(body.type)}. ` : ''}Response: ${[String(status), ...Object.keys(answers).map(code)].join(', ')}.</p>
<pre tabindex="0" aria-label="Example of ${escaped(id)}" role="group"><code>${escaped(curlExample(api, operation))}</code></pre>
<details><summary>Errors</summary>${table(['status', 'code', 'error', 'cause'], causes)}</details></section>`
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
  const head = heads.map(text => `<th scope="col">${text}</th>`).join('')
  const body = rows.map(cells => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>`
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`
}

/**
 * Adds the routes of the document and of the page, both rendered once to bytes that all responses share. The prefix of
 * `app` is the path of the interface.
 */
export function addOpenApiRoutes(
  app: FastifyInstance,
  api: ApiDescription,
  options: RouteShorthandOptions = {},
): void {
  const document = Buffer.from(JSON.stringify(openApiDocument(api)))
  const page = Buffer.from(openApiPage(api))
  const headers = standaloneHeaders(STYLE)
  app.get(api.document, options, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  )
  app.get(api.page, options, (_request, reply) => reply.headers(headers).send(page))
}
