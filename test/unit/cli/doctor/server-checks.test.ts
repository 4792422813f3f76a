import { describe, expect, test } from 'vitest'
import { moreVoices, serverChecks } from '../../../../src/cli/doctor/engine-checks.ts'
import { tryEngine } from '../../../../src/cli/doctor/engine-trial.ts'
import type { DoctorEnvironment } from '../../../../src/cli/doctor/environment.ts'
import { localEnvironment } from '../../../../src/cli/doctor/machine.ts'
import { type ConfigInput, loadConfig } from '../../../../src/config/load.ts'
import { FakeOpenAi } from '../../../harness/engines/fake-openai.ts'

type Engines = NonNullable<NonNullable<ConfigInput['embedded']>['engines']>

const url = 'http://127.0.0.1:9'
const ENGINES = {
  transcription: [
    { engine: 'openai', url: `${url}/v1`, apiKey: 'a-secret-key', model: 'm', languages: ['es-es', 'en-us'] },
    { engine: 'pocketsphinx' },
  ],
  translation: [{ engine: 'libretranslate', url, apiKey: 'another-key' }],
  synthesis: [
    { engine: 'piper', url, voices: [{ voice: 'a', languages: ['de-de'], gender: 'M' }] },
    { engine: 'espeak', languages: ['es-es'] },
  ],
} satisfies Engines

const checks = (around: Partial<DoctorEnvironment>, engines: Engines = ENGINES) =>
  serverChecks(loadConfig({ env: {}, overrides: { embedded: { engines } } }).embedded.engines, {
    ...localEnvironment,
    tryEngine: async ({ kind }) => ({ worked: true, what: `tried ${kind}`, ms: 340 }),
    loadModel: async () => ({ worked: true, what: 'loaded', ms: 300 }),
    ...around,
  })

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
    [`${url}/voices`, undefined],
  ])
  expect(found).toMatchObject([
    {
      name: 'transcription 1: openai',
      status: 'ok',
      found: `${url}, for es-es en-us: tried transcription in 0.3 s`,
    },
    {
      name: 'translation 1: libretranslate',
      status: 'ok',
      found: `${url}, for all its languages: tried translation in 0.3 s`,
    },
    { name: 'synthesis 1: piper', status: 'ok', found: `${url}, for de-de: tried synthesis in 0.3 s` },
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
    tryEngine: async () => ({ worked: false, reason: 'openai-chat: answered 400' }),
  })
  expect(first).toMatchObject({ status: 'fail', found: expect.stringContaining('openai-chat: answered 400') })
})

describe('a real test request', () => {
  const server = {
    timeoutMs: 3_000,
    retries: 0,
    cooldownMs: 1_000,
    model: 'm',
    languages: ['es-es', 'en-us'],
  }
  const tried = async (change: (server: FakeOpenAi) => void = () => {}) => {
    const fake = await new FakeOpenAi().listen()
    change(fake)
    const { transcription, translation, synthesis } = loadConfig({
      env: {},
      overrides: {
        embedded: {
          engines: {
            transcription: [{ engine: 'openai', url: fake.url, ...server }],
            translation: [{ engine: 'openai', url: fake.url, ...server }],
            synthesis: [
              {
                ...{ engine: 'openai', url: fake.url, model: 'm' },
                voices: [{ voice: 'a', languages: ['es-es'], gender: 'F' }],
              },
            ],
          },
        },
      },
    }).embedded.engines
    return Promise.all([
      tryEngine({ kind: 'transcription', choice: transcription[0]! }),
      tryEngine({ kind: 'translation', choice: translation[0]! }),
      tryEngine({ kind: 'synthesis', choice: synthesis[0]! }),
    ])
  }

  test('is answered by working engines', async () => {
    expect(await tried()).toEqual([
      { worked: true, what: 'transcribed a sentence as en-us', ms: expect.any(Number) },
      { worked: true, what: 'translated a sentence from en-us into es-es', ms: expect.any(Number) },
      { worked: true, what: 'spoke with openai-es-es-a', ms: expect.any(Number) },
    ])
  })

  test('finds a model that rejects every request, though the server lists it', async () => {
    const found = await tried(fake => {
      fake.rejects = ['model']
    })
    expect(found.slice(0, 2)).toEqual([
      { worked: false, reason: expect.stringContaining('answered 400 (unsupported_parameter)') },
      { worked: false, reason: expect.stringContaining('answered 400 (unsupported_parameter)') },
    ])
  })
})

test('an unreachable server is reported; without servers there are no checks', async () => {
  const [first] = await checks({})
  expect(first).toMatchObject({ status: 'fail', found: `nothing answers at ${url}` })
  expect(await checks({}, {})).toEqual([])
})

test('additional English voices are reported if installed, and not missed otherwise', async () => {
  const flite = { enabled: true, command: 'flite', timeoutMs: 1 }
  const ask = async () => 'Voices available: kal slt '
  expect(await moreVoices(flite, { ...localEnvironment, ask })).toMatchObject([
    { status: 'ok', found: 'flite, kal slt' },
  ])
  expect(await moreVoices(flite, { ...localEnvironment, ask: async () => undefined })).toEqual([])
})
