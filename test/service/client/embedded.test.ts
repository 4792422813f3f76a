import { describe, expect, test } from 'vitest'
import { ServiceClient } from '../../../src/service/client/service-client.ts'
import { mp3HeaderAt } from '../../../src/transcode/mp3/header.ts'
import { collected, failureOf, kept, QUICK } from '../../support/service/client-helpers.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'

const TO = { languageIdTarget: 'es-es' } as const
const BOTH = { languageIdSource: 'en-us', ...TO } as const

async function embedded() {
  const { url, engines } = await fakeService()
  return { client: new ServiceClient({ url, apiKey: KEY }), engines, url }
}

describe('against the embedded service', () => {
  test('lists', async () => {
    const { client } = await embedded()
    expect((await client.languages()).map(({ languageId }) => languageId)).toContain('es-es')
    expect(await client.voices({ language: 'es-es', voiceEngine: ['standard'] })).toHaveLength(1)
    expect(await client.voices({ voiceGender: 'M' })).toEqual([])
  })

  test('/translator', async () => {
    const { client } = await embedded()
    const session = kept(await client.openSession('/translator', BOTH))
    expect(session.parameters).toMatchObject(BOTH)
    for (const text of ['one', 'two']) await session.send(text)
    expect(await session.finish(QUICK)).toEqual({ kind: 'finished' })
    expect((await collected(session)).map(({ translation }) => translation)).toEqual(['ONE', 'TWO'])
  })

  test.each(['block', 'streaming'] as const)('/tts, %s', async mode => {
    const { client } = await embedded()
    const session = kept(await client.openSession('/tts', { ...TO, receiveAudio: { mode } }))
    await session.send('a few words')
    await session.finish(QUICK)
    const utterances = await collected(session.utterances())
    expect(utterances).toHaveLength(1)
    expect(mp3HeaderAt(utterances[0]!.audio!, 0)?.rate).toBe(16_000)
  })

  test('/tts as a stream: all speech, up to its end', async () => {
    const { client } = await embedded()
    const session = kept(await client.openSession('/tts', { ...TO, receiveAudio: { obtainVia: 'stream' } }))
    const listening = collected(session.audio!)
    await session.send('a few words')
    await session.finish(QUICK)
    const mp3 = Buffer.concat(await listening)
    expect(mp3HeaderAt(mp3, 0)?.rate).toBe(16_000)
    expect(mp3.length).toBeGreaterThan(1_000)
  })

  test('/sts', async () => {
    const { client, engines } = await embedded()
    const session = kept(await client.openSession('/sts', BOTH))
    const utterances = collected(session.utterances())
    await session.send(new Int16Array(1_600))
    engines.recognizer.streams.at(-1)?.hear('hello there')
    await session.finish(QUICK)
    expect(await utterances).toMatchObject([{ text: 'hello there', translation: 'HELLO THERE' }])
    expect(engines.recognizer.streams.at(-1)?.samples).toBe(1_600 + 16_000)
  })

  test('rejections include the reason', async () => {
    const { client, url } = await embedded()
    const stt = kept(await client.openSession('/stt', { languageIdSource: 'en-us' }))
    await stt.send(new Uint8Array(3))
    expect(await failureOf(stt.finish(QUICK))).toMatchObject({ code: 'bad_audio', error: 'odd_byte_count' })
    const text = kept(await client.openSession('/translator', BOTH))
    await text.send('')
    expect(await failureOf(text.finish())).toMatchObject({ code: 'bad_text', error: 'text_empty' })
    const stranger = new ServiceClient({ url, apiKey: 'wrong' })
    const refused = { code: 'unauthorized', error: 'key_wrong', retryable: false }
    expect(await failureOf(stranger.openSession('/tts', TO))).toMatchObject(refused)
    expect(await failureOf(stranger.languages())).toMatchObject({ ...refused, status: 401 })
    expect(await failureOf(client.openSession('/tts', { languageIdTarget: 'xx-xx' }))).toMatchObject({
      code: 'bad_parameter',
    })
  })

  test('batch: text to speech, and an invalid file', async () => {
    const { client } = await embedded()
    const reply = await client.batch({ mode: 'tts', file: 'a few words', ...TO })
    expect(mp3HeaderAt(reply.audio!, 0)?.rate).toBe(16_000)
    const encoded = await client.batch({
      mode: 'tts',
      file: 'a few words',
      ...TO,
      more: { dataEncoding: 'base64' },
    })
    expect(Buffer.from(encoded.audio!).equals(reply.audio!)).toBe(true)
    const wrong = client.batch({ mode: 'stt', file: Buffer.from('no audio'), languageIdSource: 'en-us' })
    expect(await failureOf(wrong)).toMatchObject({ code: 'bad_file', by: 'service', status: 415 })
  })
})
