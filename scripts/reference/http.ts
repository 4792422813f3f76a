import { OPERATIONS as SERVICE, type ServiceOperation } from '../../src/service/server/http/operations.ts'
import { errorsOf, OPERATIONS } from '../../src/web/control/control-api.ts'
import type { AnyOperation } from '../../src/web/control/operation.ts'
import { code, fenced, head, table } from './markdown.ts'
import { routeTable } from './routes.ts'
import { fieldRows, shapeLines, shapeOf } from './shape-text.ts'

const ABOUT = `Two servers speak HTTP: the [bridge server](#the-bridge-server), with the [control API](#the-control-api), and the
[translation service](#the-translation-service), which is embedded or runs alone. Socket messages are described in [events](events.md),
and every error code in [errors](errors.md).
`

const CONTROL = `Below \`/v1\`, with a key: \`Authorization: Bearer <key>\`. Request and response bodies are JSON; unknown fields are rejected. Every
error is \`{ code, error, description }\`. Examples by task, with responses: [control API](../guides/control-from-a-program.md#examples). Machine-readable:
\`/v1/openapi.json\`.

Every request can return`

const SERVICE_ABOUT = `With a key: \`x-api-key: <key>\`. Behavior and examples: [the service over HTTP](../service/http.md). Machine-readable: \`/docs/json\`.
`

/** `docs/reference/http.md`. */
export async function httpPage(): Promise<string> {
  const documented = new Map(
    OPERATIONS.map(each => [
      `${each.method} /v1${each.path}`,
      `[${each.summary}](#${each.id.toLowerCase()})`,
    ]),
  )
  const common = OPERATIONS.map(each => errorsOf(each)).reduce((left, right) =>
    left.filter(name => right.includes(name)),
  )
  const groups = Map.groupBy(OPERATIONS, ({ group }) => group)
  return [
    head('HTTP', ABOUT),
    `\n## The bridge server\n\n${await routeTable(documented)}`,
    `\n## The control API\n\n${CONTROL} ${common.map(code).join(', ')}.\n`,
    ...Array.from(
      groups,
      ([group, members]) => `\n### ${group}\n${members.map(each => control(each, common)).join('')}`,
    ),
    `\n## The translation service\n\n${SERVICE_ABOUT}`,
    ...SERVICE.map(service),
  ].join('')
}

function control(operation: AnyOperation, common: readonly string[]): string {
  const { id, method, path, summary, about, params, query, body, answer, types = [], status } = operation
  const fields = [
    ...(params ? fieldRows(shapeOf(params, 'input')).map(each => ['path', ...each]) : []),
    ...(query ? fieldRows(shapeOf(query, 'input')).map(each => ['query', ...each]) : []),
    ...(body ? fieldRows(shapeOf(body, 'input')).map(each => ['body', ...each]) : []),
  ]
  const own = errorsOf(operation).filter(name => !common.includes(name))
  return [
    `\n#### ${id}\n\n${code(`${method} /v1${path}`)}: ${summary}.${about === '' ? '' : ` ${about}`}\n`,
    fields.length > 0 ? `\n${table(['in', 'name', 'needed', 'allowed', 'default', ''], fields)}` : '',
    `\nAnswers ${status}${types.length > 0 ? `, ${types.map(code).join(', ')}` : ''}${answer ? ':\n\n' : '.\n'}`,
    answer ? fenced('text', shapeLines(shapeOf(answer))) : '',
    own.length > 0 ? `\nErrors: ${own.map(code).join(', ')}.\n` : '',
  ].join('')
}

function service({
  method,
  path,
  summary,
  about,
  open,
  query = [],
  form = [],
  answers,
  errors: own,
}: ServiceOperation): string {
  const fields = [
    ...query.map(each => ['query', each] as const),
    ...form.map(each => ['form', each] as const),
  ]
  const rows = fields.map(([place, { name, needed, repeated, allowed, about: words, example }]) => [
    place,
    code(name),
    needed ? 'yes' : '',
    [allowed?.join(', '), repeated ? 'can be repeated' : ''].filter(Boolean).join('; '),
    example === undefined ? '' : code(example),
    words,
  ])
  const kinds = Object.entries(answers).map(([type, schema]) =>
    schema === null
      ? `\n${code(type)}.\n`
      : `\n${code(type)}:\n\n${fenced('text', shapeLines(shapeOf(schema)))}`,
  )
  return [
    `\n### ${code(`${method} ${path}`)}\n\n${summary}. ${about}${open && !about.includes('no key is needed') ? ' No key is needed.' : ''}\n`,
    rows.length > 0 ? `\n${table(['in', 'name', 'needed', 'allowed', 'example', ''], rows)}` : '',
    `\nAnswers 200:\n${kinds.join('')}`,
    `\nErrors: ${own.map(code).join(', ')}.\n`,
  ].join('')
}
