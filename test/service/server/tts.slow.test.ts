import { describe, expect, test } from 'vitest'
import type { TtsResult, VoiceEntry } from '../../../src/service/contract.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { FakeSynthesizer } from '../../support/engines/fake-engines.ts'
import { fakeService } from '../../support/service/fake-service.ts'
import { decoded, KEY, mp3Of, realService } from '../../support/service/real-service.ts'
import { RECEIVE } from '../../support/service/test-client.ts'

const SPANISH = { languageIdSource: undefined, languageIdTarget: 'es-es', sendAudio: undefined }
const STREAMING = { receiveAudio: { ...RECEIVE, mode: 'streaming' } }

/** Names and ids of the events after `start`, repetitions merged. */
function story(client: { heard: readonly { name: string; payload: unknown }[] }): string[] {
  const all = client.heard.slice(3).map(({ name, payload }) => `${name} ${(payload as TtsResult).id}`)
  return all.filter((line, index) => line !== all[index - 1])
}

describe('with the installed engines', () => {
  const real = realService({ maxSessions: 8, engines: { pocketsphinx: { enabled: false } } })

  async function voices(): Promise<VoiceEntry[]> {
    const answer = await fetch(`${real.url}/api/voices`, { headers: { 'x-api-key': KEY } })
    return (await answer.json()) as VoiceEntry[]
  }

  test('speaks with the first voice of every language, and with each of the Spanish ones', async () => {
    const all = (await voices()).filter(
      ({ languageId }, index, { [index - 1]: before }) =>
        languageId === 'es-es' || languageId !== before?.languageId,
    )
    expect(all.length).toBeGreaterThan(25)
    const speaks = async ({ voiceId, languageId }: VoiceEntry) => {
      const client = await real.ready('/tts', { ...SPANISH, languageIdTarget: languageId, voiceId })
      expect(client.payloads('connected')).toMatchObject([{ languageIdTarget: languageId, voiceId }])
      expect(await client.sendText('radio 2')).toBe(true)
      await client.until('endSynth')
      expect(client.payloads('error')).toEqual([])
      expect(mp3Of(client, '1').length, voiceId).toBeGreaterThan(2_000)
      client.close()
    }
    const left = all.values()
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (const voice of left) await speaks(voice)
      }),
    )
  })

  test('block: one mp3 per text, in the order of the texts, each followed by endSynth', async () => {
    const client = await real.ready('/tts', SPANISH)
    expect(client.payloads('connected')).toEqual([{ languageIdTarget: 'es-es', receiveAudio: RECEIVE }])
    const texts = ['Buenos días.', '¿Cómo está usted, señor?', 'Hasta luego.']
    for (const text of texts) expect(await client.sendText(text)).toBe(true)
    await client.until('endSynth', 3)
    expect(client.names.slice(3)).toEqual(['result', 'endSynth', 'result', 'endSynth', 'result', 'endSynth'])
    const results = client.payloads<TtsResult>('result')
    expect(results.map(({ text }) => text)).toEqual(texts)
    for (const { id, file } of results) {
      expect(file).toMatchObject({ codec: 'mp3', sampleRate: 16_000 })
      const { rate, ms, rms } = decoded(mp3Of(client, id))
      expect(rate).toBe(16_000)
      expect(ms).toBeGreaterThan(500)
      expect(rms).toBeGreaterThan(500)
    }
    client.close()
  })

  test('streaming: the pieces of one mp3 per text, the first long before the last', async () => {
    const client = await real.ready('/tts', { ...SPANISH, ...STREAMING })
    await client.sendText('La casa de mi hermano está cerca del río. '.repeat(40))
    await client.sendText('Adiós.')
    await client.until('endSynth', 2)
    expect(story(client)).toEqual(['result 1', 'endSynth 1', 'result 2', 'endSynth 2'])
    const pieces = client.heard.filter(
      ({ name, payload }) => name === 'result' && (payload as TtsResult).id === '1',
    )
    expect(pieces.length).toBeGreaterThan(20)
    expect(decoded(mp3Of(client, '1')).ms).toBeGreaterThan(60_000)
    const [first, last] = [pieces[0]!.at, pieces.at(-1)!.at]
    expect(last - first).toBeGreaterThan(100)
    client.close()
  })

  test.each(['...', '😀', '你好', '-', '<speak>x</speak>', 'a\0b\u001b[31m'])(
    '%j, a text with almost no speech, gets a response and an end',
    async text => {
      for (const mode of ['block', 'streaming']) {
        const client = await real.ready('/tts', { ...SPANISH, receiveAudio: { ...RECEIVE, mode } })
        expect(await client.sendText(text)).toBe(true)
        await client.until('endSynth')
        expect(story(client)).toEqual(['result 1', 'endSynth 1'])
        expect(client.payloads<TtsResult>('result')[0]?.text).toBe(text)
        client.close()
      }
    },
  )
})

test('uses the source language if there is no target, and echoes both', async () => {
  const { connect } = await fakeService()
  const client = connect('/tts', { languageIdSource: 'ES-es', languageIdTarget: undefined })
  await client.until('start')
  expect(client.payloads('connected')).toMatchObject([
    { languageIdSource: 'es-es', languageIdTarget: 'es-es' },
  ])
})

test.each([
  [{ voiceGender: 'M' }, 'voice_not_offered', '/api/voices?language=es-es'],
  [{ voiceEngine: 'neural' }, 'voice_not_offered', '/api/voices?language=es-es'],
  [{ voiceId: 'nobody' }, 'voice_not_offered', '/api/voices?language=es-es'],
  [{ languageIdTarget: 'ca-es' }, 'voice_not_offered', '/api/voices'],
  [{ voiceGender: 'X' }, 'value_not_allowed', 'M, F'],
  [{ voiceEngine: 'golden' }, 'value_not_allowed', 'neural, standard'],
  [{ languageIdTarget: undefined, languageIdSource: undefined }, 'language_missing', 'languageIdTarget'],
])('rejects an unavailable voice: %j', async (wish, error, named) => {
  const { connect } = await fakeService()
  for (const namespace of ['/tts', '/sts']) {
    const client = connect(namespace, namespace === '/sts' ? { languageIdTarget: 'es-es', ...wish } : wish)
    const body = await client.error()
    if (namespace === '/tts' || !('languageIdSource' in wish)) expect(body.error).toBe(error)
    if (namespace === '/tts') expect(body.description).toContain(named)
    await client.until('disconnect')
  }
})

test('a voice without the mode counts as unavailable', async () => {
  const synthesizer = new FakeSynthesizer()
  const [entry] = synthesizer.voices
  const slow = Object.assign(synthesizer, { voices: [{ ...entry!, modes: ['block' as const] }] })
  const engines = new EngineSet({ synthesizers: [slow] })
  const { connect } = await fakeService({}, { engines })
  await connect('/tts').until('start')
  expect(await connect('/tts', STREAMING).error()).toMatchObject({ error: 'voice_not_offered' })
})

test('selects a voice by its properties', async () => {
  const { connect } = await fakeService()
  const client = connect('/tts', { voiceGender: 'F', voiceEngine: 'standard' })
  await client.until('start')
  expect(client.payloads('connected')).toMatchObject([{ voiceGender: 'F', voiceEngine: ['standard'] }])
})

test.each(['MUTE', 'one STOP'])(
  'a text that breaks the engine (“%s”) is reported and ended, and the next one is complete',
  async text => {
    for (const receiveAudio of [RECEIVE, STREAMING.receiveAudio, { ...RECEIVE, obtainVia: 'stream' }]) {
      const { ready } = await fakeService()
      const { client } = await ready('/tts', { receiveAudio })
      await client.sendText(text)
      await client.sendText('good')
      await client.until('endSynth', 2)
      expect(client.payloads('error')).toMatchObject([{ code: 'engine_failed', error: 'synthesis_failed' }])
      const told = story(client).filter(line => !line.startsWith('error'))
      expect(told.filter((line, index) => line !== told[index - 1])).toEqual([
        'result 1',
        'endSynth 1',
        'result 2',
        'endSynth 2',
      ])
    }
  },
)

test('the log contains neither texts nor audio addresses', async () => {
  const lines: string[] = []
  const line = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: line, info: line, warn: line, error: line }
  const { ready } = await fakeService({}, { log })
  const { client } = await ready('/tts', { receiveAudio: { ...RECEIVE, obtainVia: 'stream' } })
  const url = await client.until<string>('start')
  await fetch(url, { method: 'HEAD' })
  await client.sendText('secret STOP')
  await client.sendText({ secret: true })
  await client.until('endSynth')
  client.close()
  await expect.poll(() => lines.some(each => each.startsWith('session ended'))).toBe(true)
  expect(lines.join('\n')).toContain('"texts":1,"characters":11')
  expect(lines.join('\n')).not.toContain('secret')
  expect(lines.join('\n')).not.toContain(new URL(url).pathname.slice(8, 20))
})
