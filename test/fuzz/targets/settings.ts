import type { FastifyRequest } from 'fastify'
import { configSchema } from '../../../src/app/settings/cross-checks.ts'
import { readEnvironment } from '../../../src/app/settings/environment.ts'
import { KEYS } from '../../../src/app/settings/keys.ts'
import { readYaml } from '../../../src/app/settings/load.ts'
import type { Problem } from '../../../src/app/settings/problems.ts'
import { problemsOf } from '../../../src/app/settings/problems.ts'
import { LinkTokens } from '../../../src/web/captions/caption-links.ts'
import { OPERATIONS } from '../../../src/web/control/control-api.ts'
import { ControlError } from '../../../src/web/control/errors.ts'
import { readRequest } from '../../../src/web/control/request-handler.ts'
import { allowing, type FuzzTarget, must, texts } from '../target.ts'

function judged(values: unknown): void {
  const { error } = configSchema.safeParse(values)
  if (error)
    must(problemsOf(error.issues, values as object, () => 'here').length > 0, 'what is wrong is named')
}

const yaml: FuzzTarget = {
  name: 'settings file',
  seeds: texts(
    'port: 8080\nservice:\n  url: http://localhost:1234\n  apiKey: "x"\n',
    'twilio:\n  authToken: [a, b]\n  numbers:\n    "+15551230001": {speaks: en-us, hears: es-es}\n',
    'calls: &a\n  maxCalls: 1\nrooms: *a\n',
    'calls: *b',
    'calls: &a\n  b: *a',
    'a: &a [1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]',
    '? [a]\n: b',
    '!!binary "aGVs": 1',
    '%YAML 1.2\n---\nport: !!int "1"\n',
  ),
  words: [
    ': ',
    '\n  ',
    '- ',
    '&a ',
    '*a',
    '<<: ',
    '!!binary ',
    '!!set ',
    '? ',
    '|\n',
    '{',
    '[',
    '"',
    '__proto__',
    '%',
    '---\n',
  ],
  run(input) {
    const problems: Problem[] = []
    const file = readYaml(input.toString(), 'dragoman.yaml', problems)
    must(typeof file.values === 'object' && file.values !== null, 'a table, perhaps an empty one')
    must(file.source(['service', 'url']).startsWith('dragoman.yaml:'), 'a line')
    // Contains no cycles.
    JSON.stringify(file.values, (_key, value: unknown) => (typeof value === 'bigint' ? 0 : value))
    judged(file.values)
    must(Object.keys(Object.prototype).length === 0, 'the prototype is unchanged')
  },
}

const environment: FuzzTarget = {
  name: 'settings from the environment',
  seeds: texts(
    'DRAGOMAN_PORT=8080\nDRAGOMAN_SERVICE_URL=http://x\nDRAGOMAN_TWILIO_AUTH_TOKEN_FILE=/a',
    ...KEYS.map(
      key =>
        `${key.variable}=${key.shape.type === 'object' ? '{"a":1}' : key.shape.type === 'array' ? '["a"]' : '1'}`,
    ),
  ),
  words: ['DRAGOMAN_', '_FILE=', '=', '[', '{', '"', 'true', '1e999', ',', '__proto__'],
  run(input) {
    const lines = input
      .toString()
      .split('\n')
      .map(line => line.split('=', 2) as [string, string?])
    const env = Object.fromEntries(lines.map(([name, value = '']) => [name, value]))
    const problems: Problem[] = []
    const settings = readEnvironment(env, path => `from ${path}`, problems)
    must(settings.length + problems.length <= lines.length * 2, 'each variable is one setting or one problem')
    for (const { key } of settings) must(KEYS.includes(key), 'settings that there are')
    judged(Object.fromEntries(settings.map(({ key, value }) => [key.path.split('.')[0], value])))
  },
}

const control: FuzzTarget = {
  name: 'control API bodies',
  seeds: texts(
    '{"languages":["en-us","es-es"],"maxParticipants":4,"codeMinutes":5}',
    '{"muted":true,"hears":"es-es","original":"low","name":"Anna"}',
    '{"to":"+15551230001","speaks":"es-es","hears":"es-es","ringSeconds":20}',
    '{"text":"hello","language":"en-us","to":["anna"]}',
    '{"minutes":5}',
  ),
  words: ['null', '""', '-1', '1e308', '[]', '{}', '__proto__', 'constructor', '\\u0000', '\\ud800', '"to":'],
  run(input) {
    let body: unknown
    try {
      body = JSON.parse(input.toString())
    } catch {
      return
    }
    for (const operation of OPERATIONS) {
      const raw = {
        params: { room: 'r', id: 'x', participant: 'p' },
        query: body,
        body,
      } as unknown as FastifyRequest
      allowing([ControlError], () => readRequest(operation, raw))
      allowing([ControlError], () => readRequest(operation, { ...raw, query: {} } as FastifyRequest))
    }
    must(Object.keys(Object.prototype).length === 0, 'the prototype is unchanged')
  },
}

const links = new LinkTokens(() => 1_000, { idOf: () => 'life', is: () => true, holds: () => true })
const link = links.issue('r', 60_000).token

const tokens: FuzzTarget = {
  name: 'tokens of caption links',
  seeds: texts(link, `${link}.x`, '.', 'a.b'),
  run(input) {
    const token = input.toString()
    // The last letter of base64 contains unused bits.
    must(!links.allows(token, 'r') || token.slice(0, -1) === link.slice(0, -1), 'only ours')
    must(!links.allows(token, 'other'), 'and for no other room')
  },
}

export const SETTINGS: readonly FuzzTarget[] = [yaml, environment, control, tokens]
