import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { settingsFailures } from '../../src/cli/doctor/machine-checks.ts'
import { KEYS, RENAMED_KEYS, shapeAt, variableOf } from '../../src/config/keys.ts'
import { ConfigError, loadConfig } from '../../src/config/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-renamed-'))

/** The problems of a settings file, or of variables. */
function problemsOf({ yaml, env = {} }: { yaml?: string; env?: Record<string, string> }) {
  const file = join(folder, 'dragoman.yaml')
  writeFileSync(file, yaml ?? '')
  try {
    loadConfig({ file, env })
  } catch (error) {
    if (error instanceof ConfigError)
      return { lines: error.message.replaceAll(`${folder}/`, '').split('\n'), error }
    throw error
  }
  throw new Error('the settings were accepted')
}

/** `value` at `path`; an engine in a list needs its kind. */
function nested(path: string, value: unknown): unknown {
  return path
    .split('.')
    .reduceRight(
      (below, part) => (part === '*' ? [{ engine: 'openai', ...(below as object) }] : { [part]: below }),
      value,
    )
}

const ROWS = [...RENAMED_KEYS].map(([former, current]) => ({ former, current }))

describe.each(ROWS)('$former, renamed to $current', ({ former, current }) => {
  const at = former.replace('*', '0')
  const to = current.replace('*', '0')

  it('names a setting that exists', () => {
    const path = (key: string) => key.split('.').map(part => (part === '*' ? 0 : part))
    expect(shapeAt(path(current))).toBeDefined()
    expect(shapeAt(path(former))).toBeUndefined()
  })

  it('is reported once in the file, with its line and its new name', () => {
    const text = `# settings\n${stringify(nested(former, 'a value'))}`
    const { lines } = problemsOf({ yaml: text })
    const about = lines.filter(line => line.includes(`${at} `))
    expect(about).toHaveLength(1)
    expect(about[0]).toMatch(
      new RegExp(`^dragoman.yaml:\\d+: ${at.replaceAll('.', '\\.')} was renamed to ${to}$`),
    )
    if (!former.includes('*')) {
      const line =
        text.split('\n').findIndex(each => each.trimStart().startsWith(former.split('.').at(-1)!)) + 1
      expect(about[0]).toMatch(new RegExp(`^dragoman.yaml:${line}: `))
    }
    expect(lines.filter(each => each.includes(`${to}: `))).toEqual([])
  })
})

const inList = ({ former }: { former: string }) => former.includes('*')

it.each(ROWS.filter(row => !inList(row)))(
  'the variable of $former is reported once, with the variable of $current',
  ({ former, current }) => {
    const keys = KEYS.filter(({ path }) => path === current || path.startsWith(`${current}.`))
    expect(keys).not.toEqual([])
    for (const { path, variable, secret } of keys) {
      const old = variableOf(former + path.slice(current.length))
      for (const suffix of secret ? ['', '_FILE'] : ['']) {
        const { lines } = problemsOf({ env: { [old + suffix]: '1' } })
        expect(lines).toEqual([`${old}${suffix} was renamed to ${variable}${suffix}`])
      }
    }
  },
)

it.each(ROWS.filter(inList))(
  '$former is reported in the list of its variable, with $current',
  ({ former, current }) => {
    const [list = '', name = ''] = former.split('.*.')
    const entry = { url: 'http://127.0.0.1:1', engine: 'openai', [name]: 1 }
    const { lines } = problemsOf({ env: { [variableOf(list)]: JSON.stringify([entry]) } })
    expect(lines).toContain(
      `${variableOf(list)}: ${former.replace('*', '0')} was renamed to ${current.replace('*', '0')}`,
    )
  },
)

it('a required key is not reported as missing while its former name is set', () => {
  const outbound = { accountSid: `AC${'x'.repeat(32)}`, authToken: 'a', from: '+15551230003' }
  const missing = problemsOf({ yaml: stringify({ twilio: { outbound } }) }).lines
  expect(missing).toEqual([expect.stringContaining('allowedPrefixes: found nothing')])
  const former = problemsOf({
    yaml: stringify({ twilio: { outbound: { ...outbound, allow: ['+34'] } } }),
  }).lines
  expect(former).toEqual([expect.stringMatching(/allow was renamed to twilio\.outbound\.allowedPrefixes$/)])
  const variables = problemsOf({
    yaml: stringify({ twilio: { outbound } }),
    env: { DRAGOMAN_TWILIO_OUTBOUND_ALLOW: '+34' },
  }).lines
  expect(variables).toEqual([
    'DRAGOMAN_TWILIO_OUTBOUND_ALLOW was renamed to DRAGOMAN_TWILIO_OUTBOUND_ALLOWED_PREFIXES',
  ])
})

it('a notice is reported with its new name, in any language', () => {
  const notices = { es: { 'service-away': 'a.ogg' }, 'en-us': { 'channel-away': 'b.ogg', busy: 'c.ogg' } }
  expect(problemsOf({ yaml: stringify({ sounds: { notices } }) }).lines).toEqual([
    expect.stringMatching(
      /notices\.es\.service-away was renamed to sounds\.notices\.es\.service-unavailable$/,
    ),
    expect.stringMatching(/en-us\.channel-away was renamed to sounds\.notices\.en-us\.channel-unavailable$/),
  ])
})

it('doctor shows the new name as the fix', () => {
  const { error } = problemsOf({ yaml: 'relay:\n  levelDb: 5' })
  expect(settingsFailures(error)).toMatchObject([
    { found: expect.stringMatching(/dragoman\.yaml:2: relay\.levelDb was renamed$/) },
  ])
  expect(JSON.stringify(settingsFailures(error))).toContain('write relay.targetLoudnessDb')
})
