import type { ApiDescription, JsonSchema, OperationDescription, ParameterDescription } from './openapi.ts'

/** Commands that try an operation, for the page of an interface. `$URL` and `$KEY` are variables of the shell. */

/** File name of a response by media type; others are shown in the terminal. */
const FILES: Readonly<Record<string, string>> = {
  'audio/mpeg': 'answer.mp3',
  'audio/wav': 'answer.wav',
  'audio/ogg': 'answer.ogg',
}

/** Returns a command with the required values of `operation`. */
export function curlExample(api: ApiDescription, operation: OperationDescription): string {
  const { method, path, parameters, body, answers } = operation
  const types = Object.keys(answers)
  const file = types.length === 1 ? FILES[types[0]!] : undefined
  const address = (api.base === '/' ? path : api.base + path).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(plain(parameters.find(each => each.name === name))),
  )
  const query = parameters
    .filter(each => each.in === 'query' && each.required)
    .map(each => `${each.name}=${encodeURIComponent(plain(each))}`)
    .join('&')
  const flags = [types.includes('text/event-stream') ? '-N' : '', method === 'GET' ? '' : `-X ${method}`]
  return [
    ['curl', ...flags, `"$URL${address}${query === '' ? '' : `?${query}`}"`].filter(Boolean).join(' '),
    ...credentials(api, operation),
    ...(body ? bodyFlags(body.type, body.schema) : []),
    ...(file === undefined ? [] : [`--output ${file}`]),
  ].join(' \\\n  ')
}

function credentials(
  { security, securitySchemes }: ApiDescription,
  operation: OperationDescription,
): string[] {
  const [name] = Object.keys((operation.security ?? security)[0] ?? {})
  const scheme = name === undefined ? undefined : securitySchemes[name]
  if (!scheme) return []
  return [`-H "${scheme.type === 'http' ? 'Authorization: Bearer' : `${String(scheme.name)}:`} $KEY"`]
}

function bodyFlags(type: string, schema: JsonSchema): string[] {
  const value = sample('', schema) as Record<string, unknown>
  if (type === 'multipart/form-data')
    return Object.entries(schema.properties ?? {})
      .filter(([name]) => name in value)
      .map(([name, field]) =>
        // curl reads the content of a value after `@` from a file.
        field.contentMediaType === undefined ? `-F ${name}=${String(value[name])}` : `-F ${name}=@speech.wav`,
      )
  const json = JSON.stringify(value).replaceAll("'", String.raw`'\''`)
  return ['-H "Content-Type: application/json"', `-d '${json}'`]
}

function plain(parameter: ParameterDescription | undefined): string {
  if (!parameter) return ''
  const { name, schema, example } = parameter
  return String(example ?? sample(name, schema))
}

/** Returns a value that fits `schema`: its example or default, or the required fields of an object. */
function sample(name: string, schema: JsonSchema): unknown {
  const { type, enum: values, anyOf, items, default: fallback, examples } = schema
  const known = examples?.[0] ?? values?.[0] ?? fallback
  if (known !== undefined) return known
  if (schema.properties) return object(schema)
  const some = anyOf?.find(each => each.type !== 'null')
  if (some) return sample(name, some)
  if (items) return [sample(name, items)]
  const [kind] = [type].flat()
  if (kind === 'number' || kind === 'integer') return Number(schema.minimum ?? 1)
  if (kind === 'boolean') return true
  return name
}

/** An object with nothing required shows its first field. */
function object({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(names.map(name => [name, sample(name, properties[name] ?? {})]))
}
