import { expect, test } from 'vitest'
import { buildService } from '../../../src/service/server/service.ts'
import { type ServiceConfig, serviceSettings } from '../../../src/service/server/settings.ts'
import { FakeOpenAi } from '../../support/engines/fake-openai.ts'

type Engines = NonNullable<ServiceConfig['engines']>
type Lines = { level: string; fields: object; message: string }[]

/** A service with these engines; the slow PocketSphinx is off unless a test needs it. */
async function service(engines: Engines, lines: Lines = []) {
  const note = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message })
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  const config = { apiKeys: ['k'], engines: { pocketsphinx: { enabled: false }, ...engines } }
  const built = await buildService(config, { log })
  const { url } = await built.listen()
  const get = async (path: string) =>
    (await fetch(`${url}${path}`, { headers: { 'x-api-key': 'k' } })).json() as Promise<
      Record<string, unknown>[]
    >
  return { ...built, get, [Symbol.asyncDispose]: () => built.close() }
}

test('the catalog lists exactly what the configured engines support', async () => {
  const { url } = await new FakeOpenAi().listen()
  await using built = await service({
    apertium: { enabled: false },
    espeak: { enabled: false },
    transcription: [{ engine: 'openai', url, model: 'm', languages: ['ja-jp'] }],
    translation: [{ engine: 'openai', url: `${url}/v1/`, model: 'm', languages: ['ja-jp', 'en-us'] }],
    synthesis: [
      { engine: 'openai', url, model: 'm', voices: [{ voice: 'nova', languages: ['en-us'], gender: 'F' }] },
    ],
  })
  expect(await built.get('/api/languages')).toEqual([
    {
      languageId: 'en-us',
      name: 'English (United States)',
      transcription: false,
      translation: ['ja-jp'],
      synthesis: true,
    },
    {
      languageId: 'ja-jp',
      name: 'Japanese (Japan)',
      transcription: true,
      translation: ['en-us'],
      synthesis: false,
    },
  ])
  expect(await built.get('/api/voices?voiceEngine=neural')).toMatchObject([
    { voiceId: 'openai-en-us-nova', voiceGender: 'F', voiceEngine: 'neural' },
  ])
  expect(await built.get('/api/voices?voiceEngine=standard')).toEqual([])
  expect(await built.engines.translators[0]?.translate('the dog', 'en-us', 'ja-jp')).toBe('La perro.')
})

test('uses the configured order, limits engines to their languages, and adds installed ones last', async () => {
  const { url } = await new FakeOpenAi().listen()
  const voices = [{ voice: 'nova', languages: ['es-es', 'es-mx'], gender: 'F' as const }]
  await using built = await service({
    translation: [
      { engine: 'apertium', languages: ['en-us', 'es-es'] },
      { engine: 'openai', url, model: 'm', languages: ['en-us', 'es-es', 'es-mx'] },
    ],
    synthesis: [
      { engine: 'espeak', languages: ['es-es'] },
      { engine: 'openai', url, model: 'm', voices },
    ],
  })
  const { engines } = built
  expect(engines.translator('en-us', 'es-es')?.name).toBe('apertium')
  expect(engines.translator('en-us', 'es-mx')?.name).toBe('openai-chat')
  expect(engines.translator('en-us', 'ca-es')).toBeUndefined()
  expect(engines.voice('es-es')?.engine.name).toBe('espeak-ng')
  expect(engines.voice('es-mx')?.engine.name).toBe('openai-speech')
  expect(engines.voices().some(({ entry }) => entry.languageId === 'de-de')).toBe(false)
})

test('falls back to the next engine, and logs it without quoting speech', async () => {
  const server = await new FakeOpenAi().listen()
  server.fault = 'status 500'
  const lines: Lines = []
  const apiKey = 'sk-never-in-a-log'
  const { url } = server
  await using built = await service(
    {
      translation: [{ engine: 'openai', url, apiKey, model: 'm', languages: ['en-us', 'es-es'] }],
      synthesis: [
        {
          engine: 'openai',
          url,
          apiKey,
          model: 'm',
          voices: [{ voice: 'nova', languages: ['es-es'], gender: 'F' }],
        },
      ],
    },
    lines,
  )
  const { engines } = built
  expect(
    await engines.translator('en-us', 'es-es')?.translate('the house is small', 'en-us', 'es-es'),
  ).toContain('casa')
  const voice = engines.voice('es-es')!
  expect(voice.entry.voiceId).toBe('openai-es-es-nova')
  const speech = await voice.engine.speak('la casa', voice.entry.voiceId, new AbortController().signal)
  let samples = 0
  for await (const piece of speech.pieces) samples += piece.length
  expect(samples).toBeGreaterThan(5_000)
  const failed = lines.filter(({ message }) => message === 'engine failed')
  expect(failed.map(({ fields }) => fields)).toMatchObject([
    { engine: 'openai-chat', instead: 'apertium' },
    { engine: 'openai-speech', instead: 'espeak-ng' },
  ])
  expect(JSON.stringify(lines)).not.toMatch(/house|casa|never-in-a-log/)
})

test('skips an engine whose server is unavailable, and logs it', async () => {
  const lines: Lines = []
  const away = 'http://127.0.0.1:9'
  await using built = await service({ translation: [{ engine: 'libretranslate', url: away }] }, lines)
  expect(built.engines.translators.map(({ name }) => name)).toEqual(['apertium'])
  expect(lines).toContainEqual(
    expect.objectContaining({
      message: 'engine not available',
      fields: expect.objectContaining({ engine: 'libretranslate' }),
    }),
  )
})

test.each<[object, string]>([
  [{ transcription: [{ engine: 'whisper' }] }, 'engine'],
  [{ transcription: [{ engine: 'openai', url: 'ftp://x', model: 'm', languages: ['en-us'] }] }, 'url'],
  [{ transcription: [{ engine: 'openai', url: 'http://u:p@x', model: 'm', languages: ['en-us'] }] }, 'url'],
  [{ transcription: [{ engine: 'openai', url: 'http://x', model: 'm', languages: [] }] }, 'languages'],
  [{ translation: [{ engine: 'openai', url: 'http://x', model: 'm', languages: ['en-us'] }] }, 'languages'],
  [{ translation: [{ engine: 'libretranslate', url: 'http://x', languages: ['spanish'] }] }, 'languages'],
  [{ synthesis: [{ engine: 'openai', url: 'http://x', model: 'm', voices: [] }] }, 'voices'],
  [{ synthesis: [{ engine: 'espeak', speed: 1 }] }, 'speed'],
  [{ pocketsphinx: { grammars: { 'Not A Name': { phrases: ['one'] } } } }, 'Not A Name'],
  [{ pocketsphinx: { grammars: { two: { phrases: ['one'], file: 'x' } } } }, 'two'],
])('%j is rejected, naming %s', (engines, key) => {
  expect(() => serviceSettings({ apiKeys: ['k'], engines: engines as Engines })).toThrow(key)
})
