import { ERROR_TABLE } from '../error-table.ts'
import type { ServiceSettings } from '../service-config.ts'
import { openApi } from './openapi.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import type { Parameter } from './parameter.ts'

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
