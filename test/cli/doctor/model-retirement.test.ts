import { expect, test } from 'vitest'
import { retirementChecks } from '../../../src/cli/doctor/model-retirement.ts'
import { configuredEngines } from '../../../src/cli/engines/configured-engines.ts'
import { loadConfig } from '../../../src/config/load.ts'

const NOW = Date.parse('2026-11-24T12:00:00Z')

/** The settings with a chat model at OpenAI, and what the service says of its models. */
function checks(
  shutdown: string | null | undefined,
  { url = 'https://api.openai.com', model = 'a-model' } = {},
) {
  const list = [{ engine: 'openai', url, model, apiKey: 'sk-key', languages: ['en-us', 'es-es'] }]
  const env = { DRAGOMAN_EMBEDDED_ENGINES_TRANSLATION: JSON.stringify(list) }
  const asked: (readonly [string, string | undefined])[] = []
  const models = {
    object: 'list',
    data: [
      { id: 'another', shutdown_date: '2020-01-01' },
      { id: 'a-model', ...(shutdown === undefined ? {} : { shutdown_date: shutdown }) },
    ],
  }
  const around = {
    modelsAt: async (at: string, key: string | undefined) => {
      asked.push([at, key])
      return models
    },
  }
  const engines = configuredEngines(loadConfig({ env }).embedded).filter(({ host }) => host !== undefined)
  return retirementChecks(engines, around, NOW).then(found => ({ found, asked }))
}

test('a model that is shut down soon is a warning with its date', async () => {
  const { found, asked } = await checks('2027-01-14')
  expect(asked).toEqual([['https://api.openai.com', 'sk-key']])
  expect(found).toMatchObject([
    { status: 'warn', found: 'a-model will be shut down on 2027-01-14, in 51 days' },
  ])
})

test('one that was shut down is a failure', async () => {
  expect((await checks('2026-11-24')).found).toMatchObject([
    { status: 'fail', found: 'a-model was shut down on 2026-11-24' },
  ])
})

test.each([
  ['stays', null],
  ['stays for long', '2028-01-01'],
  ['has no date', undefined],
  ['has an invalid date', 'soon'],
])('one that %s is not mentioned', async (_case, date) => {
  expect((await checks(date)).found).toEqual([])
})

test('a server without such a list is skipped', async () => {
  const engines = configuredEngines(
    loadConfig({
      env: {
        DRAGOMAN_EMBEDDED_ENGINES_TRANSLATION: JSON.stringify([
          { engine: 'openai', url: 'http://127.0.0.1:8000', model: 'm', languages: ['en-us', 'es-es'] },
        ]),
      },
    }).embedded,
  )
  for (const answer of [undefined, 'text', { data: 'x' }, { data: [{ name: 'm' }] }])
    expect(await retirementChecks(engines, { modelsAt: async () => answer }, NOW)).toEqual([])
})
