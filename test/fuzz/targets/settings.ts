import { configSchema } from '../../../src/app/settings/cross-checks.ts'
import { readYaml } from '../../../src/app/settings/load.ts'
import type { Problem } from '../../../src/app/settings/problems.ts'
import { problemsOf } from '../../../src/app/settings/problems.ts'
import { LinkTokens } from '../../../src/web/captions/caption-links.ts'
import { type FuzzTarget, must, texts } from '../target.ts'

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

export const SETTINGS: readonly FuzzTarget[] = [yaml, tokens]
