import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import type { LanguageEntry, TranslatorResult } from '../../../src/service/contract.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { FakeTranslator } from '../../support/engines/fake-engines.ts'
import { fakeService } from '../../support/service/fake-service.ts'
import { KEY, realService } from '../../support/service/real-service.ts'

const NO_AUDIO = { sendAudio: undefined, receiveAudio: undefined }

describe('with the installed engines', () => {
  const real = realService({ engines: { pocketsphinx: { enabled: false } } })
  const SENTENCE: Record<string, string> = { en: 'the house is big', es: 'La casa es grande.' }

  test('translates every listed pair, also from Spanish', async () => {
    const answer = await fetch(`${real.url}/api/languages`, { headers: { 'x-api-key': KEY } })
    const languages = (await answer.json()) as LanguageEntry[]
    const pairs = languages.flatMap(({ languageId, translation }) =>
      translation.map(target => [languageId, target] as const),
    )
    expect(pairs).toContainEqual(['es-es', 'en-us'])
    for (const [languageIdSource, languageIdTarget] of pairs) {
      const client = await real.ready('/translator', { languageIdSource, languageIdTarget, ...NO_AUDIO })
      expect(client.payloads('connected')).toEqual([{ languageIdSource, languageIdTarget }])
      const text = SENTENCE[languageIdSource.slice(0, 2)] ?? 'radio'
      expect(await client.sendText(text)).toBe(true)
      const result = await client.until<TranslatorResult>('result')
      expect(result).toMatchObject({ id: '1', final: true, languageIdSource, languageIdTarget, text })
      expect(result.translation, `${languageIdSource} → ${languageIdTarget}`).toMatch(/\p{L}{2}/u)
      expect(client.payloads('error')).toEqual([])
      client.close()
    }
  })

  test('translates Spanish into English and back, with accents, punctuation and several lines', async () => {
    const client = await real.ready('/translator', {
      languageIdSource: 'es-es',
      languageIdTarget: 'en-us',
      ...NO_AUDIO,
    })
    await client.sendText('¿Dónde está\nla casa?')
    const { text, translation } = await client.until<TranslatorResult>('result')
    expect(text).toBe('¿Dónde está\nla casa?')
    expect(translation).toMatch(/^Where .*house\?$/)
    client.close()
  })

  test('a hundred texts sent at once get their results in order', async () => {
    const client = await real.ready('/translator', NO_AUDIO)
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
    const acks = await Promise.all(numbers.map(number => client.sendText(`the house number ${number}`)))
    expect(acks.every(ack => ack === true)).toBe(true)
    await client.until('result', 100)
    const results = client.payloads<TranslatorResult>('result')
    expect(results.map(({ id }) => Number(id))).toEqual(numbers)
    for (const [index, { translation }] of results.entries()) expect(translation).toContain(`${index + 1}`)
    expect(client.names.slice(0, 4)).toEqual(['connect', 'connected', 'start', 'result'])
    client.close()
  })

  test('translates a text of maximum length completely', async () => {
    const client = await real.ready('/translator', NO_AUDIO)
    const text = 'the house is big. '.repeat(112).slice(0, 2_000)
    expect(await client.sendText(text)).toBe(true)
    const { translation } = await client.until<TranslatorResult>('result')
    expect(translation?.match(/casa es grande/g)?.length).toBe(111)
    client.close()
  })
})

test('reports a text that breaks the engine, and translates the next', async () => {
  const { ready } = await fakeService()
  const { client } = await ready('/translator')
  for (const text of ['one', 'fail', 'two']) expect(await client.sendText(text)).toBe(true)
  await client.until('result', 3)
  expect(client.names.slice(3)).toEqual(['result', 'error', 'result', 'result'])
  expect(client.payloads('error')).toMatchObject([
    { code: 'engine_failed', error: 'translation_failed', description: expect.stringContaining('text 2') },
  ])
  const told = client.payloads<TranslatorResult>('result').map(({ id, translation }) => [id, translation])
  expect(told).toEqual([
    ['1', 'ONE'],
    ['2', undefined],
    ['3', 'TWO'],
  ])
})

/** Responds only on request. */
class SlowTranslator extends FakeTranslator {
  readonly waiting: (() => void)[] = []

  override async translate(text: string): Promise<string> {
    await new Promise<void>(resolve => this.waiting.push(resolve))
    return super.translate(text)
  }
}

function slowly(config: object, clock = new FakeClock()) {
  const translator = new SlowTranslator()
  const engines = new EngineSet({ translators: [translator] })
  return { translator, clock, service: fakeService(config, { engines, clock }) }
}

test('rejects a text above the queue limit, reports it once, and accepts it when there is room', async () => {
  const { translator, service } = slowly({ maxWaitingTexts: 2 })
  const client = (await service).connect('/translator')
  await client.until('start')
  const acks = []
  for (const text of ['one', 'two', 'three', 'four', 'five']) acks.push(await client.sendText(text))
  expect(acks).toEqual([true, true, true, false, false])
  expect(client.payloads('error')).toMatchObject([
    { error: 'backlog_full', description: expect.stringContaining('2') },
  ])
  for (let n = 1; n <= 3; n++) {
    await expect.poll(() => translator.waiting.length).toBe(1)
    translator.waiting.shift()?.()
    await client.until('result', n)
  }
  expect(await client.sendText('six')).toBe(true)
  await expect.poll(() => translator.waiting.length).toBe(1)
  translator.waiting.shift()?.()
  await client.until('result', 4)
  expect(client.payloads<TranslatorResult>('result').map(({ text }) => text)).toEqual([
    'one',
    'two',
    'three',
    'six',
  ])
})

test('the idle time starts at the last text, and stops during processing', async () => {
  const { translator, clock, service } = slowly({ textIdleTimeoutMs: 5_000 })
  const client = (await service).connect('/translator')
  await client.until('start')
  clock.advance(4_000)
  expect(await client.sendText('one')).toBe(true)
  clock.advance(60_000)
  await expect.poll(() => translator.waiting.length).toBe(1)
  translator.waiting.shift()?.()
  await client.until('result')
  expect(client.names).not.toContain('error')
  clock.advance(10_000)
  expect(await client.error()).toMatchObject({ code: 'timeout', error: 'session_idle' })
  await client.until('disconnect')
})

test('a session for texts uses a slot like any other', async () => {
  const { connect, ready, get } = await fakeService({ maxSessions: 2 })
  const { client } = await ready('/translator')
  await ready('/tts')
  expect(await connect('/stt').until('connect_error')).toMatchObject({ error: 'too_many_sessions' })
  client.close()
  const health = async () => (await (await get('/health')).json()) as { sessions: number }
  await expect.poll(health).toMatchObject({ sessions: 1 })
  await ready('/translator')
})

test('texts in the queue are dropped when the client leaves', async () => {
  const { translator, service } = slowly({})
  const { connect, get } = await service
  const client = connect('/translator')
  await client.until('start')
  for (let n = 0; n < 10; n++) await client.sendText('one')
  client.close()
  const health = async () => (await (await get('/health')).json()) as { sessions: number }
  await expect.poll(health).toMatchObject({ sessions: 0 })
  translator.waiting.shift()?.()
  await new Promise(resolve => setImmediate(resolve))
  expect(translator.waiting).toHaveLength(0)
})
