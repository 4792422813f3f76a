/** Section 2 of the interface document: resources and their fields, one test a statement. */
import { describe, expect, test } from 'vitest'
import {
  type ConnectionParameters,
  type LanguageEntry,
  NAMESPACES,
  type StsResult,
  type VoiceEntry,
} from '../../../../src/service/contract.ts'
import { encodeWav } from '../../../../src/transcode/wav.ts'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'
import { realService } from '../../../support/service/real-service.ts'
import { query, RECEIVE, SEND, TestClient } from '../../../support/service/test-client.ts'
import { upload } from '../../../support/service/upload.ts'

const LANGUAGE = /^[a-z]{2,3}-[a-z0-9]{2,3}$/
const WAV = encodeWav(new Int16Array(16_000), 16_000)

describe('2.1 and 2.2: the lists, with the installed engines', () => {
  const real = realService({ maxSessions: 8, engines: { pocketsphinx: { enabled: false } } })
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${real.url}${path}`, { headers: { 'x-api-key': KEY } })
    expect(answer.status).toBe(200)
    return (await answer.json()) as T
  }

  test('2.1 GET /api/languages lists the languages for transcription, translation and synthesis', async () => {
    const languages = await get<LanguageEntry[]>('/api/languages')
    expect(languages.some(({ translation }) => translation.length > 0)).toBe(true)
    expect(languages.some(({ synthesis }) => synthesis)).toBe(true)
    for (const { transcription } of languages) expect(transcription).toBe(false)
    const { get: ask } = await fakeService()
    const hearing = (await (await ask('/api/languages')).json()) as LanguageEntry[]
    expect(hearing.filter(({ transcription }) => transcription)).toMatchObject([{ languageId: 'en-us' }])
  })

  test('2.1 language identifiers have the form <language>-<region> in lower case', async () => {
    const languages = await get<LanguageEntry[]>('/api/languages')
    for (const { languageId, translation } of languages)
      for (const id of [languageId, ...translation]) expect(id).toMatch(LANGUAGE)
    for (const { languageId } of await get<VoiceEntry[]>('/api/voices')) expect(languageId).toMatch(LANGUAGE)
  })

  test('2.2 GET /api/voices lists the voices of a language, filtered when asked', async () => {
    const all = await get<VoiceEntry[]>('/api/voices?language=es-es')
    expect(all.length).toBeGreaterThan(1)
    for (const { languageId } of all) expect(languageId).toBe('es-es')
    const women = await get<VoiceEntry[]>('/api/voices?language=es-es&voiceGender=F')
    expect(women).toEqual(all.filter(({ voiceGender }) => voiceGender === 'F'))
  })

  test('2.2 the list tells whether a configuration can be realized: listed, it opens; not listed, it does not', async () => {
    for (const voiceGender of ['M', 'F'])
      for (const voiceEngine of ['neural', 'standard'])
        for (const mode of ['block', 'streaming']) {
          const filter = { language: 'es-es', voiceGender, voiceEngine, mode }
          const listed = await get<VoiceEntry[]>(`/api/voices?${new URLSearchParams(filter)}`)
          const parameters = query({ voiceGender, voiceEngine, receiveAudio: { ...RECEIVE, mode } })
          const client = new TestClient(`${real.url}/tts`, KEY, parameters)
          if (listed.length > 0) await client.until('start')
          else expect(await client.error()).toMatchObject({ error: 'voice_not_offered' })
          client.close()
        }
  })
})

describe('2.3: connection parameters', () => {
  /** What `connected` says of a connection with everything in its query. */
  async function inForce(namespace: string, parameters = {}): Promise<ConnectionParameters> {
    const { ready } = await fakeService()
    const { client } = await ready(namespace, parameters)
    return client.payloads<ConnectionParameters>('connected')[0]!
  }

  test.each(['/stt', '/translator', '/sts'])(
    '2.3 %s uses languageIdSource, the language of the input',
    async each => {
      expect((await inForce(each)).languageIdSource).toBe('en-us')
      const { connect } = await fakeService()
      const without = connect(each, { languageIdSource: undefined })
      expect(await without.error()).toMatchObject({
        error: 'language_missing',
        description: expect.stringContaining('languageIdSource'),
      })
    },
  )

  test.each(['/translator', '/sts'])(
    '2.3 %s uses languageIdTarget, the language of the output',
    async each => {
      expect((await inForce(each)).languageIdTarget).toBe('es-es')
      const { connect } = await fakeService()
      const without = connect(each, { languageIdTarget: undefined })
      expect(await without.error()).toMatchObject({
        error: 'language_missing',
        description: expect.stringContaining('languageIdTarget'),
      })
    },
  )

  test.each(['/stt', '/sts'])('2.3 %s uses sendAudio, a string holding a JSON object', async each => {
    expect((await inForce(each)).sendAudio).toEqual(SEND)
    const { connect } = await fakeService()
    expect(await connect(each, { sendAudio: 'linear16' }).error()).toMatchObject({ error: 'not_json' })
  })

  test.each(['/sts', '/tts'])('2.3 %s uses receiveAudio, a string holding a JSON object', async each => {
    expect((await inForce(each)).receiveAudio).toEqual(RECEIVE)
    const { connect } = await fakeService()
    expect(await connect(each, { receiveAudio: 'mp3' }).error()).toMatchObject({ error: 'not_json' })
  })

  test('2.3 parameters of other namespaces are accepted and ignored', async () => {
    expect(Object.keys(await inForce('/stt')).toSorted()).toEqual([
      'languageIdSource',
      'partials',
      'sendAudio',
    ])
    expect(Object.keys(await inForce('/translator')).toSorted()).toEqual([
      'languageIdSource',
      'languageIdTarget',
    ])
    expect(Object.keys(await inForce('/tts')).toSorted()).toEqual(['languageIdTarget', 'receiveAudio'])
  })

  test('2.3 the JSON objects are serialized to a string and URL-encoded in the query', async () => {
    const { url } = await fakeService()
    const text = new URLSearchParams(query()).toString()
    expect(text).toContain('sendAudio=%7B%22broadcastVia%22%3A%22chunk%22')
    const client = new TestClient(`${url}/sts?${text}`, KEY, {})
    await client.until('start')
    expect(client.payloads('connected')).toMatchObject([{ sendAudio: SEND, receiveAudio: RECEIVE }])
    client.close()
  })

  test('2.3 sendAudio: broadcastVia chunk, sampleRate 16000, and codec linear16 are optional', async () => {
    const sendAudio = { broadcastVia: 'chunk', sampleRate: 16_000 }
    expect((await inForce('/stt', { sendAudio })).sendAudio).toEqual(SEND)
  })

  test.each(['block', 'streaming'])('2.3 receiveAudio: chunk, mp3, 16000, mode %s', async mode => {
    const receiveAudio = { obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode }
    expect((await inForce('/sts', { receiveAudio })).receiveAudio).toEqual(receiveAudio)
  })
})

describe('2.4: event payloads', () => {
  test.each(NAMESPACES)('2.4 connected on %s is an object echoing the parameters', async namespace => {
    const { ready } = await fakeService()
    const { client } = await ready(namespace)
    const sent: Record<string, unknown> = { ...query(), sendAudio: SEND, receiveAudio: RECEIVE }
    const [echo] = client.payloads<Record<string, unknown>>('connected')
    for (const name of ['languageIdSource', 'languageIdTarget', 'sendAudio', 'receiveAudio'])
      if (echo && name in echo) expect(echo[name], name).toEqual(sent[name])
  })

  test('2.4 start is a boolean, or the URL of the audio when streamed audio was requested', async () => {
    const { ready } = await fakeService()
    expect((await ready('/sts')).client.payloads('start')).toEqual([true])
    const receiveAudio = { ...RECEIVE, obtainVia: 'stream' }
    const { client } = await ready('/sts', { receiveAudio })
    const [url] = client.payloads<string>('start')
    const audio = await fetch(url!)
    expect(audio.status).toBe(200)
    expect(audio.headers.get('content-type')).toBe('audio/mpeg')
    await audio.body?.cancel()
  })

  test('2.4 result is an object whose fields depend on the namespace', async () => {
    const { ready } = await fakeService({ maxSessions: 4 })
    const fields: Record<string, string[]> = {}
    for (const namespace of NAMESPACES) {
      const { client, stream } = await ready(namespace)
      if (namespace === '/stt' || namespace === '/sts') stream.hear('one')
      else await client.sendText('one')
      fields[namespace] = Object.keys(await client.until<StsResult>('result')).toSorted()
    }
    const heard = ['endMs', 'final', 'id', 'languageIdSource', 'startMs', 'text']
    const written = ['final', 'id', 'languageIdTarget', 'text']
    expect(fields).toEqual({
      '/stt': heard,
      '/translator': [...written, 'languageIdSource', 'translation'].toSorted(),
      '/tts': [...written, 'file'].toSorted(),
      '/sts': [...heard, 'file', 'languageIdTarget', 'translation'].toSorted(),
    })
  })
})

describe('2.5: batch request', () => {
  test('2.5 mode selects the operation, and stt is one', async () => {
    const { url } = await fakeService({}, { engines: quickEngines().engines })
    const stt = await upload(url, { mode: 'stt', file: WAV })
    expect(stt.status).toBe(200)
    const sts = await upload(url, { mode: 'sts', languageIdTarget: 'es-es', file: WAV })
    expect(sts.status).toBe(200)
    expect(Object.keys((await stt.json()) as object)).not.toContain('file')
    expect(Object.keys((await sts.json()) as object)).toContain('file')
    expect((await upload(url, { mode: 'dance', file: WAV })).status).toBe(400)
  })

  test('2.5 file is a file part with audio: a mono 16 kHz 16-bit PCM WAV file is accepted', async () => {
    const { url } = await fakeService({}, { engines: quickEngines().engines })
    expect((await upload(url, { mode: 'stt', file: WAV })).status).toBe(200)
    expect((await upload(url, { mode: 'stt', file: Buffer.from('no audio') })).status).toBe(415)
  })
})
