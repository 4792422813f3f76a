import { expect, test } from 'vitest'
import type { Check } from '../../../src/cli/doctor/check.ts'
import type { DoctorEnvironment } from '../../../src/cli/doctor/environment.ts'
import { localEnvironment } from '../../../src/cli/doctor/machine.ts'
import { controlChecks } from '../../../src/cli/doctor/service-checks.ts'
import { loadConfig } from '../../../src/config/load.ts'

const KEY = 'a-key-of-the-desk-0123456789'
const OPEN = { control: { keys: [{ name: 'desk', key: KEY }] } }
const SECRET = 'a-secret-known-to-both'
const HOOK = {
  webhooks: [{ url: 'https://hooks.example.com/secret-in-the-path', secret: SECRET }],
}

type Expected = { readonly [K in keyof Check]?: Check[K] | RegExp }

test.each<[string, object, Partial<DoctorEnvironment>, Expected]>([
  ['control API', {}, {}, { status: 'ok', found: 'disabled: no key in control.keys' }],
  ['control API', OPEN, {}, { status: 'ok', found: 'ready for desk' }],
  ['control API', OPEN, { isDragoman: async () => false }, { found: 'ready for desk once the server runs' }],
  [
    'control API',
    OPEN,
    { statusOf: async () => 401 },
    { status: 'warn', found: 'the running server does not accept the key of desk', fix: 'restart it' },
  ],
  ['control API', { control: { keys: [{ name: 'a', key: 'x'.repeat(40) }] } }, {}, { status: 'warn' }],
  [
    'control API',
    { control: { keys: ['a', 'b'].map(name => ({ name, key: KEY })) } },
    {},
    { status: 'fail', found: 'two of a, b have the same key' },
  ],
  ['webhook 1', HOOK, {}, { status: 'ok', found: 'hooks.example.com responds, and events are signed' }],
  ['webhook 1', HOOK, { receiver: async () => 404 }, { status: 'ok' }],
  ['webhook 1', HOOK, { receiver: async () => undefined }, { status: 'fail' }],
  ['webhook 1', HOOK, { receiver: async () => 'local' }, { status: 'fail', fix: /local/ }],
  ['webhook 1', HOOK, { receiver: async () => 308 }, { status: 'fail', found: /redirect/ }],
  ['webhook 1', HOOK, { receiver: async () => 502 }, { status: 'warn' }],
  [
    'webhook bills',
    { webhooks: [{ url: 'http://hooks.example.com/x', secret: SECRET, name: 'bills', includeTexts: true }] },
    {},
    { status: 'warn', found: 'hooks.example.com is not https: transcripts are sent unencrypted' },
  ],
  [
    'webhook 1',
    { webhooks: [{ url: 'https://hooks.example.com/x', secret: 'aaaaaaaaaaaaaaaa' }] },
    {},
    { status: 'warn', found: 'its secret is easy to guess' },
  ],
])('%s with %j', async (name, overrides, changes, expected) => {
  const fine = { isDragoman: async () => true, statusOf: async () => 200, receiver: async () => 405 }
  const checks = await controlChecks(loadConfig({ env: {}, overrides }), {
    ...localEnvironment,
    ...fine,
    ...changes,
  })
  const check = checks.find(each => each.name === name)
  for (const [key, value] of Object.entries(expected))
    expect(check?.[key as keyof Check]).toEqual(
      value instanceof RegExp ? expect.stringMatching(value) : value,
    )
  expect(check?.status === 'ok' || check?.fix !== '').toBe(true)
  expect(JSON.stringify(check)).not.toMatch(/secret-in-the-path|a-key-of-the-desk|known-to-both/)
})
