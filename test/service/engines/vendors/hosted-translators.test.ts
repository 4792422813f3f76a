import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { type Clock, systemClock } from '../../../../src/common/clock.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { systemWallClock } from '../../../../src/common/wall-clock.ts'
import { openEngines } from '../../../../src/service/engines/open-engines.ts'
import { ThreadUse } from '../../../../src/service/engines/thread-budget.ts'
import { EngineUsage } from '../../../../src/service/engines/usage/engine-usage.ts'
import { AzureTranslator } from '../../../../src/service/engines/vendors/azure/azure.ts'
import { DeepLTranslator } from '../../../../src/service/engines/vendors/deepl.ts'
import { GoogleTranslator } from '../../../../src/service/engines/vendors/google.ts'
import { serviceSettings } from '../../../../src/service/server/settings.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { textTranslatorChecks } from '../../../support/conformance/text-translator.ts'
import { FakeHostedTranslators } from '../../../support/engines/fake-hosted-translators.ts'
import { KEY, SERVER, survivesFaults } from '../../../support/engines/http-faults.ts'

const LANGUAGES = ['en-us', 'es-es', 'en-gb', 'pt-br', 'zh-cn', 'es-mx']
const OPTIONS = { ...SERVER, languages: LANGUAGES }
const SENTENCES = [
  ['the house is small', 'casa'],
  ['a dog', 'perro'],
] as const

const translators = [
  {
    name: 'deepl',
    make: (url: string, apiKey = KEY, clock: Clock = systemClock) =>
      new DeepLTranslator({ ...OPTIONS, url, apiKey, formality: 'prefer_more' }, clock),
    path: '/v2/translate',
    body: { text: ['hi'], source_lang: 'EN', target_lang: 'ES' },
    headers: { authorization: `DeepL-Auth-Key ${KEY}` },
  },
  {
    name: 'google',
    make: (url: string, apiKey = KEY, clock: Clock = systemClock) =>
      new GoogleTranslator({ ...OPTIONS, url, apiKey }, clock),
    path: '/language/translate/v2',
    body: { q: ['hi'], source: 'en', target: 'es', format: 'text' },
    headers: { 'x-goog-api-key': KEY },
  },
  {
    name: 'azure',
    make: (url: string, apiKey = KEY, clock: Clock = systemClock) =>
      new AzureTranslator({ ...OPTIONS, url, apiKey, region: 'westeurope' }, clock),
    path: '/translate?api-version=3.0&from=en&to=es',
    body: [{ Text: 'hi' }],
    headers: { 'ocp-apim-subscription-key': KEY, 'ocp-apim-subscription-region': 'westeurope' },
  },
]

describe.each(translators)('$name', ({ name, make, path, body, headers }) => {
  const servers = new WeakMap<object, FakeHostedTranslators>()

  conforms(
    'translates',
    textTranslatorChecks,
    async () => {
      const server = await new FakeHostedTranslators().listen()
      const engine = make(server.url)
      servers.set(engine, server)
      return { engine, from: 'en-us', to: 'es-es', sentences: SENTENCES }
    },
    async ({ engine }) => {
      await engine.close()
      expect(servers.get(engine)?.refusals).toEqual([])
    },
  )

  describe('faults', () => {
    survivesFaults(
      () => new FakeHostedTranslators(),
      async (url, clock) => {
        const engine = make(url, KEY, clock)
        await engine.translate('a secret dog', 'en-us', 'es-es').finally(() => engine.close())
      },
      'a secret dog',
    )
  })

  test('names languages as the service does', async () => {
    const server = await new FakeHostedTranslators().listen()
    const engine = make(server.url)
    for (const to of ['es-es', 'es-mx', 'pt-br', 'zh-cn'])
      expect(await engine.translate('the dog', 'en-gb', to)).toContain('perro')
    expect(server.refusals).toEqual([])
    await engine.close()
  })

  test('a wrong key is an error without the key', async () => {
    const server = await new FakeHostedTranslators().listen()
    const engine = make(server.url, 'sk-wrong')
    const error = await engine.translate('the dog', 'en-us', 'es-es').catch((thrown: unknown) => thrown)
    expect(String(error)).toMatch(new RegExp(`${name}: answered 40[13]`))
    expect(`${error}${(error as Error).cause}`).not.toContain('sk-wrong')
    await engine.close()
  })

  test.each([
    ['no key', {}, body],
    ['an unknown field', headers, Array.isArray(body) ? [{ Text: 'hi', extra: 1 }] : { ...body, extra: 1 }],
  ])('the fake refuses %s', async (_fault, sent, payload) => {
    const server = await new FakeHostedTranslators().listen()
    const { status } = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(sent as Record<string, string>) },
      body: JSON.stringify(payload),
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(server.refusals).toHaveLength(1)
  })
})

test('a key can be in a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-key-'))
  const apiKeyFile = join(folder, 'key')
  const server = await new FakeHostedTranslators().listen()
  const off = { enabled: false }
  const made = () => {
    const listed = { engine: 'google' as const, url: server.url, languages: LANGUAGES, apiKeyFile }
    const engines = { pocketsphinx: off, apertium: off, espeak: off, translation: [listed] }
    const around = {
      clock: systemClock,
      wallClock: systemWallClock,
      log: noopLogger,
      usage: new EngineUsage(),
    }
    return openEngines(serviceSettings({ apiKeys: ['k'], engines }), new ThreadUse(systemClock), around)
  }
  await expect(made()).rejects.toThrow('ENOENT')
  await writeFile(apiKeyFile, `${KEY}\n`)
  const engines = await made()
  expect(await engines.translators[0]!.translate('the dog', 'en-us', 'es-es')).toContain('perro')
  await engines.close()
  await writeFile(apiKeyFile, '\n')
  await expect(made()).rejects.toThrow(`apiKeyFile ${apiKeyFile} is empty`)
  await rm(folder, { recursive: true })
})

const GLOSSARY = [
  { source: 'front desk', target: 'recepción' },
  { source: 'front desk', target: 'mostrador' },
]

test('DeepL gets a glossary, made once for all', async () => {
  const server = await new FakeHostedTranslators().listen()
  for (let restart = 0; restart < 2; restart++) {
    const engine = translators[0]!.make(server.url)
    const context = [{ source: 'Good morning.', translation: 'Buenos días.' }]
    const options = { glossary: GLOSSARY, about: 'a hotel', context }
    const sentences = ['the front desk', 'a dog']
    const translations = sentences.map(text => engine.translate(text, 'en-gb', 'es-mx', options))
    expect((await Promise.all(translations)).map(text => text.toLowerCase())).toEqual([
      expect.stringContaining('mostrador'),
      expect.stringContaining('perro'),
    ])
    await engine.close()
  }
  expect(server.glossaries).toHaveLength(1)
  expect(server.refusals).toEqual([])
  expect(server.seen.at(-1)?.body).toMatchObject({ context: 'a hotel\nGood morning.', glossary_id: 'g0' })
})

test('DeepL translates without a glossary that it cannot make', async () => {
  const server = await new FakeHostedTranslators().listen()
  const engine = translators[0]!.make(server.url)
  server.status = 403
  const dog = () => engine.translate('the dog', 'en-us', 'es-es', { glossary: GLOSSARY })
  expect(await dog()).toContain('perro')
  expect(await dog()).toContain('perro')
  expect(server.glossaries).toEqual([])
  expect(server.seen.filter(({ path }) => path === '/v2/glossaries')).toHaveLength(1)
  await engine.close()
})

test('Azure gets a dictionary in the text', async () => {
  const server = await new FakeHostedTranslators().listen()
  const engine = translators[2]!.make(server.url)
  const glossary = [{ source: 'house', target: 'chalé "A" & B' }]
  expect(await engine.translate('the House', 'en-us', 'es-es', { glossary })).toContain('chalé')
  expect(server.seen.at(-1)?.body).toEqual([
    {
      Text: 'The <mstrans:dictionary translation="chalé &quot;A&quot; &amp; B">house</mstrans:dictionary>.',
    },
  ])
  await engine.close()
})

test('a quota that is used up rests for an hour', async () => {
  const clock = new FakeClock(1_000)
  const server = await new FakeHostedTranslators().listen()
  const engine = translators[0]!.make(server.url, KEY, clock)
  server.status = 456
  await expect(engine.translate('the dog', 'en-us', 'es-es')).rejects.toThrow('deepl: answered 456')
  await expect(engine.translate('the dog', 'en-us', 'es-es')).rejects.toThrow('skipped temporarily')
  expect(server.seen).toHaveLength(1)
  await clock.advance(60 * 60_000)
  expect(await engine.translate('the dog', 'en-us', 'es-es')).toContain('perro')
  await engine.close()
})
