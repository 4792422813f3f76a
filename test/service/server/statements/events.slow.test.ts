/** Sections 5 and 6 of the interface document: authentication and events. */
import { describe, expect, test } from 'vitest'
import {
  type EndSynth,
  NAMESPACES,
  type ServiceErrorBody,
  type StsResult,
} from '../../../../src/service/contract.ts'
import { FakeClock } from '../../../../src/simulator/fakes/fake-clock.ts'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'
import { keyFileWith } from '../../../support/service/key-files.ts'
import {
  TestClient as Client,
  query,
  RECEIVE,
  type TestClient,
} from '../../../support/service/test-client.ts'

const STREAMING = { ...RECEIVE, mode: 'streaming' }
const SPOKEN = ['/tts', '/sts'] as const
type Spoken = (typeof SPOKEN)[number]

/** Names and ids in order, after `start`. */
function story(client: TestClient): string[] {
  return client.heard.slice(3).map(({ name, payload }) => `${name} ${(payload as EndSynth).id}`)
}

/** A session on `namespace` in which `words` are said or written, one text each; waits for the end of all. */
async function told(namespace: Spoken, receiveAudio: object, words: string[]): Promise<TestClient> {
  const { ready } = await fakeService()
  const { client, stream } = await ready(namespace, { receiveAudio, partials: 'false' })
  for (const word of words) {
    if (namespace === '/sts') stream.hear(word)
    else await client.sendText(word)
  }
  await client.until('endSynth', words.length)
  return client
}

describe('5: authentication', () => {
  test('5.1 every HTTP request of the interface needs a valid key', async () => {
    const { get, url } = await fakeService()
    for (const path of ['/api/languages', '/api/voices']) {
      expect((await get(path, '')).status).toBe(401)
      expect((await get(path, 'wrong')).status).toBe(401)
      expect((await get(path)).status).toBe(200)
    }
    const batch = { method: 'POST', body: new FormData(), headers: { 'x-api-key': 'wrong' } }
    expect((await fetch(`${url}/api/batch/file`, batch)).status).toBe(401)
  })

  test.each(NAMESPACES)('5.1 every socket connection needs a valid key: %s', async each => {
    const { url } = await fakeService()
    for (const token of [undefined, '', 'wrong']) {
      const client = new Client(`${url}${each}`, token, query())
      expect(await client.until('connect_error')).toMatchObject({ code: 'unauthorized' })
      client.close()
    }
  })

  test('5.1 the URL of streamed audio replaces the key: only a client with a key receives it', async () => {
    const { ready } = await fakeService()
    const { client } = await ready('/tts', { receiveAudio: { ...RECEIVE, obtainVia: 'stream' } })
    const url = client.payloads<string>('start')[0]!
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    const almost = url.replace(/(.)\.mp3$/, (_, last) => `${last === 'A' ? 'B' : 'A'}.mp3`)
    expect((await fetch(almost, { method: 'HEAD' })).status).toBe(404)
  })

  test('5.2 HTTP: the key is in the header x-api-key, and nowhere else', async () => {
    const { url } = await fakeService()
    const ask = (path: string, headers = {}) => fetch(`${url}${path}`, { headers })
    expect((await ask('/api/languages', { 'x-api-key': KEY })).status).toBe(200)
    expect((await ask('/api/languages', { 'X-API-Key': KEY })).status).toBe(200)
    expect((await ask('/api/languages', { authorization: `Bearer ${KEY}` })).status).toBe(401)
    expect((await ask(`/api/languages?x-api-key=${KEY}`)).status).toBe(401)
  })

  test('5.3 Socket.IO: the key is in auth.token, and nowhere else', async () => {
    const { url } = await fakeService()
    const inQuery = new Client(`${url}/stt`, undefined, { ...query(), token: KEY, 'x-api-key': KEY })
    expect(await inQuery.until('connect_error')).toMatchObject({ error: 'key_missing' })
    inQuery.close()
    const inAuth = new Client(`${url}/stt`, KEY, query())
    await inAuth.until('start')
    inAuth.close()
  })

  test('5.4 the operator issues keys: a key is valid once it was added, and no request creates one', async () => {
    const { path, keys } = await keyFileWith('contractor')
    const { connect, url } = await fakeService({ apiKeys: [], keyFile: path })
    await connect('/stt', {}, keys[0]).until('start')
    for (const guess of ['/api/keys', '/api/key', '/api/register']) {
      const headers = { 'x-api-key': keys[0]! }
      expect((await fetch(`${url}${guess}`, { method: 'POST', headers })).status).toBe(404)
    }
  })

  test.each(NAMESPACES)(
    '5.5 after authentication the session on %s stays open until disconnection',
    async each => {
      const clock = new FakeClock()
      const { ready } = await fakeService({}, { clock })
      const { client, stream } = await ready(each)
      for (let minute = 1; minute <= 30; minute++) {
        if (each === '/stt' || each === '/sts') {
          await client.send(Buffer.alloc(1920))
          stream.hear('one')
        } else await client.sendText('one')
        await client.until('result', minute)
        clock.advance(55_000)
      }
      expect(client.names).not.toContain('disconnect')
      expect(client.names).not.toContain('error')
    },
  )
})

describe('6: events', () => {
  test.each(NAMESPACES)('6 the order on %s is connect, connected, start, and only then data', async each => {
    const { ready } = await fakeService()
    const { client, stream } = await ready(each)
    if (each === '/stt' || each === '/sts') stream.hear('one')
    else await client.sendText('one')
    await client.until('result')
    expect(client.names.slice(0, 4)).toEqual(['connect', 'connected', 'start', 'result'])
  })

  test.each(['/stt', '/translator'] as const)('6 endSynth does not come on %s', async each => {
    const { ready } = await fakeService()
    const { client, stream } = await ready(each)
    for (const word of ['one', 'two']) {
      if (each === '/stt') stream.hear(word)
      else await client.sendText(word)
    }
    await client.until('result', 2)
    client.close()
    expect(client.names).not.toContain('endSynth')
  })

  test.each(SPOKEN)('6 endSynth comes when the synthesis of a text is finished, on %s', async each => {
    const client = await told(each, RECEIVE, ['one', 'two', 'three'])
    expect(client.payloads('endSynth')).toEqual([{ id: '1' }, { id: '2' }, { id: '3' }])
  })

  test.each(SPOKEN)('6.1 block on %s: endSynth immediately after the result', async each => {
    const client = await told(each, RECEIVE, ['one two three', 'four'])
    expect(story(client)).toEqual(['result 1', 'endSynth 1', 'result 2', 'endSynth 2'])
  })

  test.each(SPOKEN)('6.2 streaming on %s: endSynth immediately after the last result', async each => {
    const client = await told(each, STREAMING, ['one two three four five six', 'seven eight nine'])
    const all = story(client)
    expect(all.filter(line => line === 'result 1').length).toBeGreaterThan(1)
    expect(all.filter((line, index) => line !== all[index - 1])).toEqual([
      'result 1',
      'endSynth 1',
      'result 2',
      'endSynth 2',
    ])
  })

  test.each(NAMESPACES)('6 error on %s: a wrong setup of the mode of use is described', async each => {
    const { connect } = await fakeService()
    const client = connect(each, { languageIdSource: 'not a language', languageIdTarget: 'nor this' })
    expect(await client.error()).toEqual({
      code: 'bad_parameter',
      error: 'language_malformed',
      description: expect.stringContaining('en-us'),
    } satisfies Record<keyof ServiceErrorBody, unknown>)
  })

  test('6 error: data that cannot be processed is described, and the session continues', async () => {
    const { ready } = await fakeService({ maxSessions: 4 })
    const wrong = [
      ['/stt', Buffer.alloc(3), 'odd_byte_count'],
      ['/sts', 'text', 'not_binary'],
      ['/translator', '', 'text_empty'],
      ['/tts', 5, 'not_text'],
    ] as const
    for (const [namespace, payload, error] of wrong) {
      const { client } = await ready(namespace)
      const speech = namespace === '/stt' || namespace === '/sts'
      await (speech ? client.send(payload) : client.sendText(payload))
      expect(await client.error()).toMatchObject({ error, description: expect.stringMatching(/.{15,}/) })
      expect(await (speech ? client.send(Buffer.alloc(2)) : client.sendText('one'))).toBe(true)
    }
  })

  test('6 error: an engine that fails in the middle is described on every namespace', async () => {
    const { ready } = await fakeService({ maxSessions: 4 })
    const failing = [
      ['/translator', 'fail', 'translation_failed'],
      ['/tts', 'MUTE', 'synthesis_failed'],
      ['/sts', 'fail', 'translation_failed'],
      ['/stt', '', 'transcription_failed'],
    ] as const
    for (const [namespace, text, error] of failing) {
      const { client, stream } = await ready(namespace)
      if (namespace === '/sts') stream.hear(text)
      else if (namespace === '/stt') stream.sink.failed(new Error('ears fell off'))
      else await client.sendText(text)
      expect(await client.error()).toMatchObject({ code: 'engine_failed', error })
    }
  })

  test('6 disconnect comes with a reason when the service ends the session', async () => {
    const { ready, service } = await fakeService()
    const { client } = await ready('/tts')
    service.io.of('/tts').disconnectSockets()
    expect(await client.until('disconnect')).toBe('io server disconnect')
  })

  test('6 connect_error comes with the data of the error when the connection fails', async () => {
    const { connect } = await fakeService()
    expect(await connect('/sts', {}, 'wrong').until('connect_error')).toEqual({
      code: 'unauthorized',
      error: 'key_wrong',
      description: expect.stringContaining('auth.token'),
    })
  })

  test('6 result is an object: with the mp3 where there is a voice', async () => {
    for (const namespace of SPOKEN) {
      const client = await told(namespace, RECEIVE, ['one'])
      const [result] = client.payloads<StsResult>('result')
      expect(result?.file?.data.byteLength).toBeGreaterThan(500)
      expect(result?.file).toMatchObject({ codec: 'mp3', sampleRate: 16_000 })
    }
  })
})
