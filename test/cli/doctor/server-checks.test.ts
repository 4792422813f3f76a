import { expect, test } from 'vitest'
import { sentenceChecks } from '../../../src/cli/doctor/engine-checks.ts'
import type { DoctorEnvironment } from '../../../src/cli/doctor/environment.ts'
import { localEnvironment } from '../../../src/cli/doctor/machine.ts'
import { configuredEngines } from '../../../src/cli/engines/configured-engines.ts'
import { type ConfigInput, loadConfig } from '../../../src/config/load.ts'

type Engines = NonNullable<NonNullable<ConfigInput['embedded']>['engines']>

const url = 'http://127.0.0.1:9'
const failed =
  (reason: string): DoctorEnvironment['testEngine'] =>
  async ({ kind, name: engine }) => ({ kind, engine, outcome: 'failed', reason })

const ENGINES = {
  transcription: [
    { engine: 'openai', url: `${url}/v1`, apiKey: 'a-secret-key', model: 'm', languages: ['es-es', 'en-us'] },
    { engine: 'pocketsphinx' },
  ],
  translation: [{ engine: 'libretranslate', url, apiKey: 'another-key' }],
  synthesis: [
    { engine: 'openai', url, model: 'm', voices: [{ voice: 'a', languages: ['de-de'], gender: 'M' }] },
    { engine: 'espeak', languages: ['es-es'] },
  ],
} satisfies Engines

const configured = (engines: Engines) =>
  configuredEngines(loadConfig({ env: {}, overrides: { embedded: { engines } } }).embedded)
const checks = (around: Partial<DoctorEnvironment>, engines: Engines = ENGINES, options = {}) =>
  sentenceChecks(
    configured(engines).filter(({ host }) => host !== undefined),
    {
      ...localEnvironment,
      testEngine: async ({ kind, name: engine }) => ({
        ...{ kind, engine, outcome: 'ok', from: 'en-us', to: 'es-es', wordErrorRate: 12.5 },
        times: { final: 340, firstSound: 120, total: 1_500 },
        speech: { voice: 'a', ms: 900, bytes: 9 },
      }),
      ...around,
    },
    options,
  )

test('sends each server a request without cost, with its key in the expected header', async () => {
  const asked: unknown[] = []
  const found = await checks({
    statusOf: async (...question) => {
      asked.push(question)
      return 200
    },
  })
  expect(asked).toEqual([
    [`${url}/v1/models`, 'a-secret-key'],
    [`${url}/languages`, undefined],
    [`${url}/v1/models`, undefined],
  ])
  expect(found).toMatchObject([
    {
      name: 'transcription: openai',
      status: 'ok',
      found: `${url}, for es-es en-us: understood a sentence in en-us with 13 % word errors, final text 340 ms after its end`,
    },
    {
      name: 'translation: libretranslate',
      status: 'ok',
      found: `${url}, for all its languages: translated a sentence from en-us into es-es in 1.5 s`,
    },
    {
      name: 'synthesis: openai',
      status: 'ok',
      found: `${url}, for de-de: spoke with a, first sound after 120 ms`,
    },
  ])
})

test.each([
  [undefined, 'fail', 'check that it is running'],
  [401, 'fail', 'check its apiKey'],
  [302, 'fail', 'redirect target'],
  [503, 'fail', 'the log of the server'],
] as const)('an answer of %s is a %s', async (status, verdict, mend) => {
  const [first] = await checks({ statusOf: async () => status })
  expect(first).toMatchObject({ status: verdict, fix: expect.stringContaining(mend) })
  expect(JSON.stringify(first)).not.toContain('a-secret-key')
})

test('a server without a model list is tested with real work', async () => {
  const [first] = await checks({ statusOf: async () => 404 })
  expect(first).toMatchObject({ status: 'ok' })
})

test('an engine that is available but does not work fails', async () => {
  const [first] = await checks({
    statusOf: async () => 200,
    testEngine: failed('answered 400'),
  })
  expect(first).toMatchObject({ status: 'fail', found: expect.stringContaining('answered 400') })
})

test('a key that is rejected only at work is named', async () => {
  const [first] = await checks({
    statusOf: async () => 404,
    testEngine: failed('answered 401 (invalid_api_key)'),
  })
  expect(first).toMatchObject({ status: 'fail', fix: 'check its apiKey' })
})

test('no sentence is sent to another machine with --no-live', async () => {
  const elsewhere = {
    translation: [{ engine: 'libretranslate', url: 'https://example.com' }],
  } satisfies Engines
  const testEngine = async () => {
    throw new Error('contacted')
  }
  const [first] = await checks({ statusOf: async () => 200, testEngine }, elsewhere, { live: false })
  expect(first).toMatchObject({ status: 'warn', found: expect.stringContaining('not tested') })
})

test('an unreachable server is reported; without servers there are no checks', async () => {
  const [first] = await checks({})
  expect(first).toMatchObject({ status: 'fail', found: `nothing answers at ${url}` })
  expect(await checks({}, {})).toEqual([])
})
