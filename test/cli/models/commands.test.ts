import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { type Config, loadConfig } from '../../../src/app/settings/load.ts'
import {
  type AddContext,
  type AddOptions,
  addModels,
  listModels,
  removeModels,
} from '../../../src/cli/models/commands.ts'
import { Terminal } from '../../../src/cli/terminal.ts'
import { readManifest } from '../../../src/service/engines/local/installed-models.ts'
import { Mirror, sha256 } from '../../support/models/mirror.ts'

let folder: string
let config: Config
let mirror: Mirror
let lines: string[]
let terminal: Terminal

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'models-cli-')), 'models')
  config = loadConfig({ env: {}, overrides: { embedded: { models: folder } } })
  lines = []
  terminal = new Terminal({ write: (text: string) => lines.push(text) > 0, isTTY: false, columns: 80 })
  mirror = await Mirror.start()
  const packed = gzipSync('weights')
  const shape = { license: 'MIT', memory: 2e9, unpacked: 7, source: 'https://example.invalid/' }
  const file = { addresses: ['https://example.invalid/1/model.gz'], bytes: packed.length, unpack: 'gz' }
  const ears = { ...shape, name: 'ears', kind: 'transcription', languages: ['en', 'es'] }
  const models = [
    { ...ears, files: [{ ...file, sha256: sha256(packed) }] },
    { ...ears, name: 'other-ears', languages: ['de'], files: [file] },
  ]
  mirror.files.set('ears/model.gz', packed)
  mirror.files.set('catalog.json', Buffer.from(JSON.stringify({ version: 1, models })))
})
afterEach(async () => {
  await mirror[Symbol.asyncDispose]()
  await rm(join(folder, '..'), { recursive: true })
})

const questions: string[] = []
async function add(
  what: string[],
  options: AddOptions = {},
  context: Partial<AddContext> = {},
): Promise<string> {
  lines = []
  await addModels(config, what, options, terminal, {
    ...{ clock: new FakeClock(), mirror: mirror.url, memory: 8e9 },
    ask: async question => {
      questions.push(question)
      return true
    },
    ...context,
  })
  return lines.join('')
}

test('the plan shows names, sizes, licenses, space and memory, and asks before it downloads', async () => {
  const refused = await add(['en'], {}, { ask: async () => false })
  expect(refused).toMatch(/transcription +ears +en es +0\.0 MB +MIT/)
  expect(refused).toMatch(
    /0\.0 MB to download, 0\.0 MB of space \(.* are free\), about 2\.0 GB of memory when in use \(8\.0 GB in this machine\)\./,
  )
  expect(refused).toContain('en: no neural voice, eSpeak NG speaks if it can')
  expect(refused).toContain('Nothing was installed.')
  expect(mirror.requests.map(({ name }) => name)).toEqual(['catalog.json'])

  expect(await add(['en'])).toMatch(/ears is installed\.[\s\S]*Done\. The next/)
  expect(questions).toEqual([`Install into ${folder}?`])
  expect(await add(['en', 'es'])).toMatch(/ears .* installed +MIT/)
  expect((await readManifest(folder)).languages).toEqual(['en', 'es'])
})

test('what the memory cannot hold is refused with figures before anything is downloaded', async () => {
  await expect(add(['en'], { yes: true }, { memory: 2.2e9 })).rejects.toThrow(
    'this machine cannot run them together: it needs 2.0 GB of memory; 1.7 GB of 2.2 GB are left for models; choose fewer languages, or a hosted engine',
  )
  expect(mirror.requests).toHaveLength(1)
})

test('an entry without digest, an unknown language and an invalid catalog are refused by name', async () => {
  await expect(add(['de'], { yes: true })).rejects.toThrow(
    /no SHA-256 for other-ears: add --trust-on-first-use/,
  )
  await expect(add(['fr'], { yes: true })).rejects.toThrow('there is no model for "fr"; languages: de en es')
  mirror.files.set('catalog.json', Buffer.from('{"version":1,"models":[{}]}'))
  await expect(add(['en'], { yes: true })).rejects.toThrow(/the catalog.json of the mirror is invalid/)
  mirror.files.set('catalog.json', Buffer.alloc(5_000_000, ' '))
  await expect(add(['en'], { yes: true })).rejects.toThrow(/catalog\.json has more than 4194304 bytes/)
})

test('what is installed is listed with its state, and removed by language', async () => {
  await listModels(config, {}, terminal)
  expect(lines.join('')).toMatch(/No models in .*: .*models add en es/)
  await add(['en'], { yes: true })
  lines = []
  await listModels(config, { json: true }, terminal)
  expect(JSON.parse(lines.join(''))).toMatchObject({
    languages: ['en'],
    models: [{ kind: 'transcription', name: 'ears', bytes: 7, license: 'MIT', state: 'installed' }],
  })
  await rm(join(folder, 'ears'), { recursive: true })
  lines = []
  await listModels(config, {}, terminal)
  expect(lines.join('')).toMatch(/is missing: install ears again/)
  lines = []
  await removeModels(config, ['en'], terminal, new FakeClock())
  expect(lines.join('')).toContain('ears is removed.')
  expect((await readManifest(folder)).models).toEqual([])
})
