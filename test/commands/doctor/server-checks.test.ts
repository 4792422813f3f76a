import { expect, test } from 'vitest'
import { moreVoices } from '../../../src/commands/doctor/engine-checks.ts'
import { thisMachine } from '../../../src/commands/doctor/machine.ts'
import { serverChecks } from '../../../src/commands/doctor/server-checks.ts'
import type { Surroundings } from '../../../src/commands/doctor/surroundings.ts'
import { type ConfigInput, loadConfig } from '../../../src/config.ts'

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

const checks = (around: Partial<Surroundings>, engines: Engines = ENGINES) =>
  serverChecks(loadConfig({ env: {}, overrides: { embedded: { engines } } }).embedded.engines, {
    ...thisMachine,
    ...around,
  })

test('each server is asked for what costs it nothing, with its key in the place it takes', async () => {
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
    { name: 'transcription 1: openai', status: 'ok', found: `${url}, for es-es en-us` },
    { name: 'translation 1: libretranslate', status: 'ok', found: `${url}, for all languages it has` },
    { name: 'synthesis 1: piper', status: 'ok', found: `${url}, for de-de` },
  ])
})

test.each([
  [undefined, 'fail', 'is it running'],
  [401, 'fail', 'is its apiKey right?'],
  [302, 'fail', 'the address it redirects to'],
  [503, 'fail', 'the log of the server'],
  [404, 'warn', 'try it by a call'],
] as const)('an answer of %s is a %s', async (status, verdict, mend) => {
  const [first] = await checks({ statusOf: async () => status })
  expect(first).toMatchObject({ status: verdict, mend: expect.stringContaining(mend) })
  expect(JSON.stringify(first)).not.toContain('a-secret-key')
})

test('nothing there is found out by asking; no servers, no checks', async () => {
  const [first] = await checks({})
  expect(first).toMatchObject({ status: 'fail', found: `nothing answers at ${url}` })
  expect(await checks({}, {})).toEqual([])
})

test('more English voices are told where they are, and not missed where they are not', async () => {
  const flite = { enabled: true, command: 'flite', timeoutMs: 1 }
  const ask = async () => 'Voices available: kal slt '
  expect(await moreVoices(flite, { ...thisMachine, ask })).toMatchObject([
    { status: 'ok', found: 'flite, kal slt' },
  ])
  expect(await moreVoices(flite, { ...thisMachine, ask: async () => undefined })).toEqual([])
})
