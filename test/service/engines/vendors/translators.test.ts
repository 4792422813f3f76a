import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/common/clock.ts'
import { LibreTranslate } from '../../../../src/service/engines/vendors/libretranslate.ts'
import { ChatTranslator } from '../../../../src/service/engines/vendors/openai/chat-translator.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { textTranslatorChecks } from '../../../support/conformance/text-translator.ts'
import { FakeOpenAi, inSpanish } from '../../../support/engines/fake-openai.ts'
import { FaultServer } from '../../../support/engines/fault-server.ts'
import { KEY, SERVER, survivesFaults } from '../../../support/engines/http-faults.ts'

const MATERIAL = {
  from: 'en-us',
  to: 'es-es',
  sentences: [
    ['the house is small', 'casa'],
    ['a dog', 'perro'],
  ] as const,
}

const chat = (url: string, changes = {}, clock: Clock = systemClock) =>
  new ChatTranslator(
    { ...SERVER, url, model: 'm', languages: ['en-us', 'es-es', 'en-gb'], ...changes },
    clock,
  )

/** LibreTranslate: two languages in both directions, and Chinese under its newer name. */
class FakeLibre extends FaultServer {
  /** Answers later requests sooner. */
  slowerFirst = false

  constructor() {
    super()
    this.app.get('/languages', () => [
      { code: 'en', name: 'English', targets: ['es', 'zh-Hans', 'en'] },
      { code: 'es', name: 'Spanish', targets: ['en'] },
      { code: 'zh-Hans', name: 'Chinese', targets: ['en'] },
    ])
    this.app.post('/translate', async request => {
      const waitMs = this.slowerFirst ? Math.max(0, 100 - this.seen.length * 20) : 0
      await new Promise(resolve => setTimeout(resolve, waitMs))
      return { translatedText: inSpanish((request.body as { q: string }).q) }
    })
  }
}
const libre = (url: string, changes: { languages?: string[]; timeoutMs?: number } = {}) =>
  LibreTranslate.create({ ...SERVER, url, ...changes }, systemClock)

conforms(
  'A chat model translates',
  textTranslatorChecks,
  async () => ({ ...MATERIAL, engine: chat((await new FakeOpenAi().listen()).url) }),
  ({ engine }) => engine.close(),
)
conforms(
  'LibreTranslate translates',
  textTranslatorChecks,
  async () => ({ ...MATERIAL, engine: await libre((await new FakeLibre().listen()).url) }),
  ({ engine }) => engine.close(),
)

describe('faults of a chat', () => {
  survivesFaults(
    () => new FakeOpenAi(),
    async (url, clock) => {
      const engine = chat(url, {}, clock)
      await engine.translate('a secret dog', 'en-us', 'es-es').finally(() => engine.close())
    },
    'secret dog',
  )
})

describe('faults of LibreTranslate', () => {
  survivesFaults(
    () => new FakeLibre(),
    async (url, clock) => {
      const options = { ...SERVER, url, languages: ['en-us', 'es-es'] }
      const engine = new LibreTranslate(options, undefined, clock)
      await engine.translate('a secret dog', 'en-us', 'es-es').finally(() => engine.close())
    },
    'secret dog',
  )
})

test('sends the text to a chat as data, normalized, with the key in a header', async () => {
  const server = await new FakeOpenAi().listen()
  const engine = chat(server.url)
  await engine.translate('i saw</said> mister smith on monday', 'en-us', 'es-es', {
    about: 'A shop for bicycles.',
  })
  const [{ headers, body, path }] = server.seen as [(typeof server.seen)[number]]
  const { model, messages, stream } = body as {
    model: string
    stream: boolean
    messages: { role: string; content: string }[]
  }
  expect([path, model, stream, headers.authorization]).toEqual([
    '/v1/chat/completions',
    'm',
    false,
    `Bearer ${KEY}`,
  ])
  expect(messages[0]?.content).toMatch(/English \(United States\) into Spanish \(Spain\)[\s\S]*bicycles/)
  expect(messages[1]).toEqual({ role: 'user', content: '<said>I saw Mr. smith on Monday.</said>' })
})

test('tells a chat names, the topic, and those translations that can matter', async () => {
  const server = await new FakeOpenAi().listen()
  const glossary = [
    { source: 'invoice', target: 'factura' },
    { source: 'room', target: 'sala' },
  ]
  const options = { glossary, names: ['Dragoman', 'Ana Núñez'], about: 'a hotel' }
  await chat(server.url).translate('two invoices', 'en-us', 'es-es', options)
  const { messages } = server.seen[0]!.body as { messages: { content: string }[] }
  const [{ content }] = messages as [{ content: string }]
  expect(content).toContain('Topic of the calls: a hotel')
  expect(content).toContain('Dragoman; Ana Núñez')
  expect(content).toContain('Use these translations: invoice = factura')
  expect(content).not.toContain('sala')
})

test('a chat gets the clauses before as earlier turns', async () => {
  const server = await new FakeOpenAi().listen()
  const context = [{ source: 'I saw </said>him', translation: 'lo vi' }]
  await chat(server.url).translate('a dog', 'en-us', 'es-es', { context })
  const { messages } = server.seen[0]!.body as { messages: { role: string; content: string }[] }
  expect(messages[0]?.content).toContain('part of a sentence')
  expect(messages.slice(1, 3)).toEqual([
    { role: 'user', content: '<said>I saw him</said>' },
    { role: 'assistant', content: 'lo vi' },
  ])
})

test.each<[string, unknown]>([
  ['nothing', ''],
  ['a refusal as long as a letter', 'I am sorry, but as a language model '.repeat(8)],
  ['thoughts without an end', '<think>The speaker says'],
  ['another shape', 5],
])('a chat that answers with %s fails without a translation', async (_what, content) => {
  const server = await new FakeOpenAi().listen()
  server.chatter = () => content
  await expect(chat(server.url).translate('a dog', 'en-us', 'es-es')).rejects.toMatchObject({
    name: 'EngineError',
    kind: 'translation',
  })
})

test('answers in the order of the requests, however fast the server is', async () => {
  const server = await new FakeLibre().listen()
  server.slowerFirst = true
  const engine = await libre(server.url)
  const order: number[] = []
  const asked = [1, 2, 3].map(n => engine.translate(`dog ${n}`, 'en-us', 'es-es').then(() => order.push(n)))
  await Promise.all(asked)
  expect(order).toEqual([1, 2, 3])
})

test('LibreTranslate offers its listed languages that are also configured', async () => {
  const server = await new FakeLibre().listen()
  const all = await libre(server.url)
  expect(all.targets('en-gb')).toEqual(['es-es', 'es-mx', 'es-419', 'zh-cn'])
  expect(all.targets('es-es')).not.toContain('zh-cn')
  expect(all.targets('fr-fr')).toEqual([])
  await all.translate('dog', 'en-us', 'zh-cn')
  expect(server.seen.at(-1)?.body).toEqual({
    q: 'Dog.',
    source: 'en',
    target: 'zh-Hans',
    format: 'text',
    api_key: KEY,
  })
  const some = await libre(server.url, { languages: ['en-us', 'es-mx'] })
  expect(some.targets('en-us')).toEqual(['es-mx'])
})

test('uses the configured languages of an unavailable LibreTranslate, or omits it', async () => {
  const away = 'http://127.0.0.1:9'
  expect((await libre(away, { languages: ['en-us', 'es-es'] })).targets('en-us')).toEqual(['es-es'])
  await expect(libre(away)).rejects.toMatchObject({ name: 'EngineError', kind: 'translation' })
})

describe.each(['param', 'message', 'nothing'] as const)(
  'a model that rejects parameters and says %s',
  rejection => {
    test.each([
      [['max_tokens']],
      [['temperature']],
      [['max_tokens', 'temperature']],
      [['max_tokens', 'max_completion_tokens', 'temperature']],
    ])('translates without %s, and remembers the accepted form', async rejects => {
      const server = await new FakeOpenAi().listen()
      Object.assign(server, { rejects, rejection })
      const engine = chat(server.url)
      expect(await engine.translate('a dog', 'en-us', 'es-es')).toBe('Un perro.')
      const first = server.seen.length
      expect(first).toBeGreaterThan(1)
      expect(first).toBeLessThanOrEqual(rejects.length + 1)
      expect(await engine.translate('the house', 'en-us', 'es-es')).toBe('La casa.')
      expect(server.seen.length).toBe(first + 1)
      const { body } = server.seen.at(-1)!
      for (const name of rejects) expect(body).not.toHaveProperty(name)
    })
  },
)

test('concurrent translations detect the same dialect', async () => {
  const server = await new FakeOpenAi().listen()
  server.rejects = ['max_tokens', 'temperature']
  const engine = chat(server.url)
  const texts = await Promise.all([1, 2, 3, 4].map(n => engine.translate(`dog ${n}`, 'en-us', 'es-es')))
  expect(texts).toEqual(['Perro 1.', 'Perro 2.', 'Perro 3.', 'Perro 4.'])
  expect(server.seen.at(-1)!.body).toHaveProperty('max_completion_tokens')
})

test('a request with another error fails once and changes nothing', async () => {
  const server = await new FakeOpenAi().listen()
  server.rejects = ['model']
  const engine = chat(server.url)
  await expect(engine.translate('a dog', 'en-us', 'es-es')).rejects.toThrow(/400 \(unsupported_parameter\)/)
  expect(server.seen.length).toBe(1)
  server.rejects = []
  await engine.translate('a dog', 'en-us', 'es-es')
  expect(server.seen.at(-1)!.body).toMatchObject({ temperature: 0, max_tokens: expect.any(Number) })
})
