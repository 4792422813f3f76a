import { z } from 'zod'
import { BATCH_MODES, type BatchMode } from '../../src/service/contract.ts'
import { OPERATIONS, type ServiceOperation } from '../../src/service/server/http/operations.ts'
import type { Parameter } from '../../src/service/server/http/parameters.ts'
import { batchSchemas, errorSchema } from '../../src/service/server/http/reply-schemas.ts'

/** Typical first request of each mode; the names are checked against the form. */
const BATCH_EXAMPLES: Readonly<Record<BatchMode, Readonly<Record<string, string>>>> = {
  stt: { languageIdSource: 'en-us', file: 'recordings/sense-and-sensibility-2.wav' },
  translator: { languageIdSource: 'en-us', languageIdTarget: 'es-es', text: 'Good morning. How are you?' },
  tts: { languageIdTarget: 'es-es', text: 'Buenos días. ¿Cómo está?', dataEncoding: 'base64' },
  sts: {
    languageIdSource: 'en-us',
    languageIdTarget: 'es-es',
    dataEncoding: 'base64',
    file: 'recordings/sense-and-sensibility-2.wav',
  },
}

/** One request of the collection. */
interface Item {
  name: string
  request: Readonly<Record<string, unknown>>
  event: readonly unknown[]
}

/** A collection (Postman, v2.1) of everything the service answers over HTTP, each request with its checks. */
export function collection(): object {
  const plain = OPERATIONS.filter(({ form, path }) => !form && !path.includes('{'))
  const batch = OPERATIONS.find(({ form }) => form)!
  return {
    info: {
      name: 'Dragoman translation service',
      description:
        'Made by `npm run collection`; the environment next to it contains the base URL and the API key. Files are resolved from the working directory: the project.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'x-api-key', type: 'string' },
        { key: 'value', value: '{{api_key}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    item: [
      ...plain.map(operation => plainItem(operation)),
      { name: batch.summary, item: BATCH_MODES.map(mode => batchItem(batch, mode)) },
      { name: 'Refusals', item: refusals(batch) },
    ],
  }
}

/** Address and key of the service, for the user to fill in. */
export function environment(): object {
  return {
    name: 'Dragoman translation service',
    values: [
      { key: 'base_url', value: 'http://127.0.0.1:8088', type: 'default', enabled: true },
      { key: 'api_key', value: '', type: 'secret', enabled: true },
    ],
    _postman_variable_scope: 'environment',
  }
}

function plainItem({ summary, method, path, query = [], answers, open }: ServiceOperation): Item {
  const parameters = query.flatMap(parameter => examples(parameter))
  return {
    name: summary,
    request: {
      method,
      ...(open ? { auth: { type: 'noauth' } } : {}),
      header: [],
      url: urlOf(path, parameters),
    },
    event: [checks(200, answers['application/json'] ?? undefined)],
  }
}

/** Every allowed value of a parameter, disabled except for its example. */
function examples({ name, about, allowed, example }: Parameter): object[] {
  return (allowed ?? [example ?? '']).map(value => ({
    key: name,
    value,
    description: about,
    disabled: value !== example,
  }))
}

function batchItem({ method, path, form = [] }: ServiceOperation, mode: BatchMode): Item {
  const values: Readonly<Record<string, string>> = { mode, ...BATCH_EXAMPLES[mode] }
  const known = [...form.map(({ name }) => name), 'file']
  const unknown = Object.keys(values).find(name => !known.includes(name))
  if (unknown !== undefined) throw new RangeError(`unknown form field ${unknown}, the form has ${known}`)
  const fields = form.map(({ name, about, example = '' }) => ({
    key: name,
    value: values[name] ?? example,
    type: 'text',
    description: about,
    disabled: values[name] === undefined,
  }))
  const file = values.file ? [{ key: 'file', type: 'file', src: values.file }] : []
  return {
    name: mode,
    request: {
      method,
      header: [],
      body: { mode: 'formdata', formdata: [...fields, ...file] },
      url: urlOf(path),
    },
    event: [checks(200, batchSchemas[mode])],
  }
}

function refusals(batch: ServiceOperation): Item[] {
  const form = (fields: readonly (readonly [string, string])[]) => ({
    mode: 'formdata',
    formdata: fields.map(([key, value]) => ({ key, value, type: 'text' })),
  })
  const auth = (value: string) => ({
    type: 'apikey',
    apikey: [
      { key: 'key', value: 'x-api-key', type: 'string' },
      { key: 'value', value, type: 'string' },
    ],
  })
  const languages = OPERATIONS.find(({ id }) => id === 'languages')!.path
  return [
    {
      name: 'A wrong key',
      request: { method: 'GET', auth: auth('wrong'), header: [], url: urlOf(languages) },
      event: [checks(401, errorSchema, 'key_wrong')],
    },
    {
      name: 'No file',
      request: { method: batch.method, header: [], body: form([['mode', 'stt']]), url: urlOf(batch.path) },
      event: [checks(400, errorSchema, 'file_missing')],
    },
    {
      name: 'No such path',
      request: { method: 'GET', header: [], url: urlOf('/api/nothing') },
      event: [checks(404, errorSchema, 'path_unknown')],
    },
  ]
}

function urlOf(path: string, query: readonly object[] = []): object {
  const raw = `{{base_url}}${path}`
  return { raw, host: ['{{base_url}}'], path: path.slice(1).split('/'), ...(query.length ? { query } : {}) }
}

/** A script that checks the response. */
function checks(status: number, schema?: z.ZodType, error?: string): object {
  const exec = [`pm.test('answers ${status}', () => pm.response.to.have.status(${status}))`]
  if (schema)
    exec.push(
      `const schema = ${JSON.stringify(z.toJSONSchema(schema, { target: 'draft-7' }))}`,
      `pm.test('has the fields it should have', () => pm.response.to.have.jsonSchema(schema))`,
    )
  if (error)
    exec.push(`pm.test('says ${error}', () => pm.expect(pm.response.json().error).to.equal('${error}'))`)
  return { listen: 'test', script: { type: 'text/javascript', exec } }
}
