import { describe, expect, test } from 'vitest'
import { localEnvironment } from '../../../src/cli/doctor/machine.ts'
import { configuredEngines } from '../../../src/cli/engines/configured-engines.ts'
import { type ConfigInput, loadConfig } from '../../../src/config/load.ts'
import { FakeOpenAi } from '../../support/engines/fake-openai.ts'

type Engines = NonNullable<NonNullable<ConfigInput['embedded']>['engines']>

const configured = (engines: Engines) =>
  configuredEngines(loadConfig({ env: {}, overrides: { embedded: { engines } } }).embedded)

describe('a real test request', () => {
  const server = {
    timeoutMs: 3_000,
    model: 'm',
    languages: ['es-es', 'en-us'],
  }
  const tried = async (change: (server: FakeOpenAi) => void = () => {}) => {
    const fake = await new FakeOpenAi().listen()
    change(fake)
    const engines = configured({
      transcription: [{ engine: 'openai', url: fake.url, ...server }],
      translation: [{ engine: 'openai', url: fake.url, ...server }],
      synthesis: [
        {
          ...{ engine: 'openai', url: fake.url, model: 'm' },
          voices: [{ voice: 'a', languages: ['es-es'], gender: 'F' }],
        },
      ],
    }).filter(({ host }) => host !== undefined)
    return Promise.all(engines.map(engine => localEnvironment.testEngine(engine)))
  }

  test('is answered by working engines', async () => {
    expect(await tried()).toMatchObject([
      { kind: 'transcription', outcome: 'ok', from: 'en-us', wordErrorRate: expect.any(Number) },
      { kind: 'translation', outcome: 'ok', from: 'en-us', to: 'es-es', translation: expect.any(String) },
      { kind: 'synthesis', outcome: 'ok', speech: { voice: 'openai-es-es-a' } },
    ])
  })

  test('finds a model that rejects every request, though the server lists it', async () => {
    const found = await tried(fake => {
      fake.rejects = ['model']
    })
    expect(found.slice(0, 2)).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining('answered 400 (unsupported_parameter)') },
      { outcome: 'failed', reason: expect.stringContaining('answered 400 (unsupported_parameter)') },
    ])
  })
})
