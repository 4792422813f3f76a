import { expect, test } from 'vitest'
import { type ConfigInput, loadConfig } from '../../../src/app/settings/load.ts'
import { sentenceChecks } from '../../../src/cli/doctor/engine-checks.ts'
import { configuredEngines } from '../../../src/cli/engines/configured-engines.ts'
import { FakeOpenAi } from '../../support/engines/fake-openai.ts'
import { ctcFiles } from '../../support/engines/sherpa/streaming-tone-models.ts'
import { HAS_SHERPA, writeToneModels } from '../../support/engines/sherpa/tone-engines.ts'

type Engines = NonNullable<NonNullable<ConfigInput['embedded']>['engines']>

/** The findings for the engines of a list, without the installed ones. */
async function checks(engines: Engines) {
  const { embedded } = loadConfig({ env: {}, overrides: { embedded: { engines } } })
  return await sentenceChecks((await configuredEngines(embedded)).filter(({ model }) => model !== undefined))
}

async function ofServer(rejects: string[]) {
  const fake = await new FakeOpenAi().listen()
  fake.rejects = rejects
  const server = { engine: 'openai', url: fake.url, timeoutMs: 3_000, model: 'm' } as const
  return await checks({
    transcription: [{ ...server, languages: ['es-es', 'en-us'] }],
    translation: [{ ...server, languages: ['es-es', 'en-us'] }],
    synthesis: [{ ...server, voices: [{ voice: 'a', languages: ['es-es'], gender: 'F' }] }],
  })
}

test('each engine gets a sentence', async () => {
  expect(await ofServer([])).toMatchObject([
    { name: 'transcription: openai', status: 'ok', found: expect.stringContaining('understood a sentence') },
    {
      name: 'translation: openai',
      status: 'ok',
      found: expect.stringMatching(/translated a sentence from en-us into es-es in \d+\.\d s$/),
    },
    { name: 'synthesis: openai', status: 'ok', found: expect.stringMatching(/spoke with openai-es-es-a/) },
  ])
})

test('a model that rejects every request fails, though the server lists it', async () => {
  const found = await ofServer(['model'])
  for (const check of found.slice(0, 2))
    expect(check).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('answered 400 (unsupported_parameter)'),
      fix: expect.stringContaining('check its model'),
    })
})

test.skipIf(!HAS_SHERPA)('a model that cannot be loaded fails with the reason of the library', async () => {
  await using models = await writeToneModels()
  const model = await models.write('no-blank', { ...ctcFiles(), 'tokens.txt': 'A 0\n' })
  const [check] = await checks({ transcription: [{ engine: 'sherpa', model, languages: ['en-us'] }] })
  expect(check?.status).toBe('fail')
  expect(check?.found).toMatch(/cannot load the model: ended with .*blk/)
})
