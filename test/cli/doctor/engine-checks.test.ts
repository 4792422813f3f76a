import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type ConfigInput, loadConfig } from '../../../src/app/settings/load.ts'
import { engineChecks } from '../../../src/cli/doctor/engine-checks.ts'
import { HAS_SHERPA, writeToneModels } from '../../support/engines/sherpa/tone-engines.ts'

type Engines = NonNullable<NonNullable<ConfigInput['embedded']>['engines']>

/** Nothing on this machine, so that no engine here is started. */
const NOTHING: Engines = {
  pocketsphinx: { models: '/nowhere' },
  apertium: { modes: '/nowhere' },
  espeak: { enabled: false },
}
const checks = (engines: Engines, options = {}) =>
  engineChecks(
    loadConfig({ env: {}, overrides: { embedded: { engines: { ...NOTHING, ...engines } } } }),
    options,
  )

test('engines that are missing are reported with the packages to install, disabled ones with their setting', async () => {
  expect(await checks({})).toMatchObject([
    { name: 'speech recognition', status: 'fail', fix: expect.stringContaining('pocketsphinx-en-us') },
    { name: 'translation', status: 'fail', found: 'no modes in /nowhere' },
    { name: 'voices', status: 'warn', fix: expect.stringContaining('embedded.engines.espeak.enabled') },
  ])
})

test('there is nothing to check with a service elsewhere', async () => {
  const config = loadConfig({ env: {}, overrides: { service: { url: 'http://127.0.0.1:9' } } })
  expect(await engineChecks(config)).toEqual([])
})

const openai = (url: string): Engines => ({
  transcription: [{ engine: 'openai', url, apiKey: 'a-secret-key', model: 'm', languages: ['en-us'] }],
})

test.each([
  [401, 'answered 401', 'check its apiKey'],
  [302, 'a redirect', 'redirect target'],
  [503, 'answered 503', 'the log of the server'],
])('a server that answers %i gets no sentence', async (status, found, fix) => {
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers.authorization])
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const check = (await checks(openai(url))).at(-1)
  expect(check).toMatchObject({
    ...{ name: 'transcription: openai', status: 'fail' },
    found: expect.stringContaining(found),
    fix: expect.stringContaining(fix),
  })
  expect(asked).toEqual([['/v1/models', 'Bearer a-secret-key']])
  expect(JSON.stringify(check)).not.toContain('a-secret-key')
})

test('a server that does not run is reported', async () => {
  expect((await checks(openai('http://127.0.0.1:9'))).at(-1)).toMatchObject({
    status: 'fail',
    found: expect.stringMatching(/^nothing answers at http:\/\/127\.0\.0\.1:9/),
  })
})

test('no sentence is sent to another machine with --no-live', async () => {
  const engines: Engines = {
    translation: [{ engine: 'deepl', apiKey: 'a-secret-key', languages: ['en-us', 'es-es'] }],
  }
  expect((await checks(engines, { live: false })).at(-1)).toMatchObject({
    ...{ name: 'translation: deepl', status: 'warn' },
    found: expect.stringContaining('not tested'),
  })
})

test.skipIf(!HAS_SHERPA)('incomplete models are reported with where to get them', async () => {
  await using models = await writeToneModels()
  const found = await checks({
    transcription: [
      { engine: 'sherpa', model: models.whisper, languages: ['en-us'] },
      { engine: 'sherpa', model: '/nowhere', languages: ['en-us'] },
    ],
    synthesis: [{ engine: 'sherpa', model: '/nowhere/voice', languages: ['en-us'], gender: 'F' }],
  })
  expect(found.filter(({ name }) => name.endsWith('sherpa'))).toMatchObject([
    { name: 'transcription 1: sherpa', status: 'ok', found: `${models.whisper}, whisper, 1 MB` },
    {
      name: 'transcription 2: sherpa',
      status: 'fail',
      found: '/nowhere does not exist',
      fix: expect.stringContaining('https://github.com/k2-fsa/sherpa-onnx/releases/tag/asr-models'),
    },
    { name: 'synthesis 1: sherpa', status: 'fail', found: '/nowhere/voice does not exist' },
  ])
})
