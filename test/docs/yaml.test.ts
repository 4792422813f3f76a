import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { configSchema } from '../../src/app/settings/cross-checks.ts'
import { type ConfigInput, loadConfig } from '../../src/app/settings/load.ts'
import { snippets, title } from './pages.ts'

/** Settings that a fragment can rely on. */
const OUTBOUND = { accountSid: `AC${'x'.repeat(32)}`, from: '+15551230003', allowedPrefixes: ['+1212'] }
const REMEMBERED = { key: 'a-long-random-secret' }

/** Blocks of YAML that are not our settings: the text of their first line, and their checker. */
const OTHERS: readonly (readonly [begins: RegExp, checked: string])[] = [
  [/^services:/, 'a Compose file: test/deploy'],
  [/^(apiVersion|groups|scrape_configs|env):/, 'Kubernetes or Prometheus: test/deploy'],
]

const blocks = snippets('yaml', 'yml')
const known = Object.keys(configSchema.shape)

it('the pages contain settings', () => expect(blocks.length).toBeGreaterThan(12))

it.each(blocks.map(block => [title(block), block.code]))('%s: would be accepted', (_title, code) => {
  const [document, ...more] = parseAllDocuments(code)
  expect(document?.errors).toEqual([])
  if (OTHERS.some(([begins]) => begins.test(code))) return
  expect(more).toEqual([])
  const settings = document?.toJS() as ConfigInput
  // Anything else is not a setting, or has no rule yet.
  expect(Object.keys(settings).filter(key => !known.includes(key))).toEqual([])
  const { twilio, calls, ...rest } = settings
  const overrides = {
    publicUrl: 'https://bridge.example.com',
    ...rest,
    calls: { callerLanguages: REMEMBERED, ...calls },
    twilio: {
      authToken: 'token',
      outbound: OUTBOUND,
      ...twilio,
    },
  }
  const config = loadConfig({ env: {}, overrides, starts: 'bridge' })
  expect(config.publicUrl).toMatch(/^https:/)
})
