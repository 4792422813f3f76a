import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type InstalledModel, modelEntries } from '../../../../src/service/engines/local/installed-models.ts'
import { withModels } from '../../../../src/service/engines/with-models.ts'
import { serviceSettings } from '../../../../src/service/server/settings.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'installed-'))
})
afterEach(() => rm(folder, { recursive: true }))

const GB = 1e9
type Model = Partial<InstalledModel> & Pick<InstalledModel, 'name' | 'kind' | 'languages'>

/** Installs models with one file each. */
async function installed(languages: readonly string[], ...models: Model[]): Promise<void> {
  for (const { name } of models) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'model'), 'weights')
  }
  const files = [{ path: 'model', bytes: 7, sha256: 'unused' }]
  const common = { license: 'MIT', memory: 0.1 * GB, installedAt: '', downloads: [], files }
  const manifest = { version: 1, languages, models: models.map(model => ({ ...common, ...model })) }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
}

const recognizer: Model = {
  ...{ name: 'whole', kind: 'transcription', languages: ['en', 'es', 'fr'], memory: GB },
}
const streaming: Model = { ...recognizer, name: 'streaming', streaming: true }
const vad: Model = { name: 'silero', kind: 'detection', languages: [] }
const ana = { name: 'ana', gender: 'F' } as const

test('models follow the engines of the settings: streaming ones first, for the languages of the calls', async () => {
  const translators = ['en-es', 'es-en'].map(
    (name): Model => ({ name, kind: 'translation', languages: name.split('-') }),
  )
  const voice: Model = { name: 'voice', kind: 'synthesis', languages: ['es-es'], voices: [ana] }
  await installed(['en', 'es'], recognizer, streaming, vad, ...translators, voice)
  const { engines } = serviceSettings({
    apiKeys: ['k'],
    engines: { translation: [{ engine: 'libretranslate', url: 'http://127.0.0.1:5000' }] },
  })
  const { engines: all, refused } = await withModels(engines, folder, 16 * GB)
  expect(refused).toEqual([])
  expect(all.transcription).toMatchObject([
    {
      engine: 'sherpa',
      model: join(folder, 'streaming'),
      languages: ['en-us', 'en-gb', 'es-es', 'es-mx', 'es-419'],
      vad: join(folder, 'silero', 'model'),
      pauseMs: 400,
    },
    { model: join(folder, 'whole') },
  ])
  expect(all.translation.map(({ engine }) => engine)).toEqual(['libretranslate', 'firefox'])
  expect(all.translation[1]).toMatchObject({
    directions: [
      { from: 'en', to: 'es', model: join(folder, 'en-es') },
      { from: 'es', to: 'en' },
    ],
  })
  expect(all.synthesis).toMatchObject([
    { engine: 'sherpa', languages: ['es-es', 'es-mx', 'es-419'], gender: 'F' },
  ])
})

test('a voice of a region speaks in that region, and voices of one model are told apart by gender', async () => {
  const several = [ana, { name: 'leo', gender: 'M' } as const]
  await installed(
    ['es'],
    { name: 'spain', kind: 'synthesis', languages: ['es-es'], voices: several },
    { name: 'mexico', kind: 'synthesis', languages: ['es-mx'], voices: [ana] },
  )
  const [spain, mexico] = (await modelEntries(folder, 16 * GB)).map(({ settings }) => settings)
  expect(spain).toMatchObject({
    voices: [
      { voice: 'ana', gender: 'F', speaker: 0, languages: ['es-es', 'es-419'] },
      { voice: 'leo', gender: 'M', speaker: 1 },
    ],
  })
  expect(mexico).toMatchObject({ languages: ['es-mx', 'es-419'], gender: 'F' })
})

test('what does not fit into the memory is refused with figures, and the rest is used', async () => {
  await installed(['en'], streaming, recognizer, {
    name: 'en-es',
    kind: 'translation',
    languages: ['en', 'es'],
  })
  const entries = await modelEntries(folder, 2 * GB)
  expect(entries.map(({ models: [name], refused }) => [name, refused])).toEqual([
    ['streaming', undefined],
    ['whole', 'needs 1.0 GB of memory; 0.5 GB of 2.0 GB are left for models'],
    ['en-es', undefined],
  ])
})

test('a model with a missing or damaged file is refused by name', async () => {
  await installed(['en'], streaming, recognizer)
  await rm(join(folder, 'streaming', 'model'))
  await writeFile(join(folder, 'whole', 'model'), 'w')
  const { refused } = await withModels(serviceSettings({ apiKeys: ['k'] }).engines, folder, 16 * GB)
  expect(refused.map(({ refused: why }) => why)).toEqual([
    `${join(folder, 'streaming', 'model')} is missing: install streaming again`,
    `${join(folder, 'whole', 'model')} is damaged: install whole again`,
  ])
})

test('without a manifest there are no models, and an unreadable one is a refusal', async () => {
  const { engines } = serviceSettings({ apiKeys: ['k'] })
  expect(await withModels(engines, join(folder, 'none'))).toEqual({ engines, refused: [] })
  await writeFile(join(folder, 'manifest.json'), '{}')
  expect((await withModels(engines, folder)).refused).toMatchObject([
    { refused: expect.stringMatching(/manifest.json is not a list of models: remove it/) },
  ])
})
