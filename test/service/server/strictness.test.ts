/** What the embedded service does beyond the statements of the interface (`statements.test.ts`). */
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { NAMESPACES, type StsResult, type VoiceEntry } from '../../../src/service/contract.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { keyFileWith } from '../../support/service/key-files.ts'
import { TestClient as Client, query, RECEIVE } from '../../support/service/test-client.ts'

const hears = (namespace: string) => namespace === '/stt' || namespace === '/sts'

describe('keys', () => {
  test('HTTP: the key is in the header x-api-key, and nowhere else', async () => {
    const { url } = await fakeService()
    const ask = (path: string, headers = {}) => fetch(`${url}${path}`, { headers })
    expect((await ask('/api/languages', { 'X-API-Key': KEY })).status).toBe(200)
    expect((await ask('/api/languages', { authorization: `Bearer ${KEY}` })).status).toBe(401)
    expect((await ask(`/api/languages?x-api-key=${KEY}`)).status).toBe(401)
  })

  test('Socket.IO: the key is in auth.token, and nowhere else', async () => {
    const { url } = await fakeService()
    const client = new Client(`${url}/stt`, undefined, { ...query(), token: KEY, 'x-api-key': KEY })
    expect(await client.until('connect_error')).toMatchObject({ error: 'key_missing' })
    client.close()
  })

  test('a key is valid once the operator added it, and no request creates one', async () => {
    const { path, keys } = await keyFileWith('contractor')
    const { connect, url } = await fakeService({ apiKeys: [], keyFile: path })
    await connect('/stt', {}, keys[0]).until('start')
    for (const guess of ['/api/keys', '/api/key', '/api/register']) {
      const headers = { 'x-api-key': keys[0]! }
      expect((await fetch(`${url}${guess}`, { method: 'POST', headers })).status).toBe(404)
    }
  })

  test('the URL of streamed audio replaces the key: only a client with a key receives it', async () => {
    const { ready } = await fakeService()
    const { client } = await ready('/tts', { receiveAudio: { ...RECEIVE, obtainVia: 'stream' } })
    const url = client.payloads<string>('start')[0]!
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    const almost = url.replace(/(.)\.mp3$/, (_, last) => `${last === 'A' ? 'B' : 'A'}.mp3`)
    expect((await fetch(almost, { method: 'HEAD' })).status).toBe(404)
  })
})

describe('sessions', () => {
  test('there is no namespace but stt, translator, tts and sts', async () => {
    const { connect } = await fakeService()
    for (const name of ['/', '/batch', '/STT'])
      expect(await connect(name).until('connect_error')).toMatchObject({ code: 'bad_namespace' })
  })

  test.each(NAMESPACES)('with wrong parameters %s gets no connected, but an error, and ends', async each => {
    const { connect } = await fakeService()
    const client = connect(each, { languageIdSource: 'xx-xx', languageIdTarget: 'xx-xx' })
    await client.until('disconnect')
    expect(client.names).toEqual(['connect', 'error', 'disconnect'])
  })

  test('a voice that is listed opens; one that is not does not', async () => {
    const { connect, get } = await fakeService({ maxSessions: 8 })
    const seen = new Set<boolean>()
    for (const voiceGender of ['M', 'F'])
      for (const voiceEngine of ['neural', 'standard']) {
        const filter = { language: 'es-es', voiceGender, voiceEngine }
        const reply = await get(`/api/voices?${new URLSearchParams(filter)}`)
        const isListed = ((await reply.json()) as VoiceEntry[]).length > 0
        seen.add(isListed)
        const client = connect('/tts', { voiceGender, voiceEngine })
        if (isListed) await client.until('start')
        else expect(await client.error()).toMatchObject({ error: 'voice_not_offered' })
        client.close()
      }
    expect(seen.size).toBe(2)
  })

  test.each(['/stt', '/sts'])('%s refuses data before start and does not process it', async each => {
    const { connect, engines } = await fakeService()
    const { promise, resolve } = Promise.withResolvers<void>()
    engines.recognizer.gate = promise
    const client = connect(each)
    await client.until('connected')
    expect(await client.send(Buffer.alloc(1920))).toBe(false)
    expect(await client.error()).toMatchObject({ code: 'not_ready', error: 'before_start' })
    resolve()
    await client.until('start')
    expect(engines.recognizer.streams[0]?.samples).toBe(0)
    expect(await client.send(Buffer.alloc(1920))).toBe(true)
  })

  test.each(NAMESPACES)(
    '%s stays open for half an hour, and the client can leave at any time',
    async each => {
      const clock = new FakeClock()
      const { ready, connect, get } = await fakeService({}, { clock })
      const { client, stream } = await ready(each)
      for (let minute = 1; minute <= 30; minute++) {
        if (hears(each)) {
          await client.send(Buffer.alloc(1920))
          stream.hear('one')
        } else await client.sendText('one')
        await client.until('result', minute)
        clock.advance(55_000)
      }
      expect(client.names).not.toContain('disconnect')
      expect(client.names).not.toContain('error')
      client.close()
      for (const moment of ['connect', 'connected', 'start']) {
        const leaving = connect(each)
        await leaving.until(moment)
        leaving.socket.disconnect()
      }
      const health = async () => (await (await get('/health')).json()) as { sessions: number }
      await expect.poll(health).toMatchObject({ sessions: 0 })
    },
  )
})

describe('data', () => {
  test('results have exactly the fields of their namespace', async () => {
    const { ready } = await fakeService({ maxSessions: 4 })
    const fields: Record<string, string[]> = {}
    for (const namespace of NAMESPACES) {
      const { client, stream } = await ready(namespace)
      if (hears(namespace)) stream.hear('one')
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

  test('data that cannot be processed is described, and the session continues', async () => {
    const { ready } = await fakeService({ maxSessions: 6 })
    const wrong = [
      ['/stt', Buffer.alloc(3), 'odd_byte_count'],
      ['/sts', 'text', 'not_binary'],
      ['/translator', '', 'text_empty'],
      ['/tts', 5, 'not_text'],
    ] as const
    for (const [namespace, payload, error] of wrong) {
      const { client } = await ready(namespace)
      const speech = hears(namespace)
      expect(await (speech ? client.send(payload) : client.sendText(payload))).toBe(false)
      expect(await client.error()).toMatchObject({ error, description: expect.stringMatching(/.{15,}/) })
      expect(await (speech ? client.send(Buffer.alloc(2)) : client.sendText('one'))).toBe(true)
    }
    const { client: listener } = await ready('/stt')
    expect(await listener.sendText('one')).toBe(false)
    expect(await listener.error()).toMatchObject({ error: 'event_not_taken' })
    const { client: writer } = await ready('/tts')
    expect(await writer.send(Buffer.alloc(1920))).toBe(false)
    expect(await writer.error()).toMatchObject({ error: 'event_not_taken' })
  })

  test('an engine that fails in the middle is described on every namespace', async () => {
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

  test('streaming: results of one voice in a row, then its end, then the next', async () => {
    const { ready } = await fakeService()
    const receiveAudio = { ...RECEIVE, mode: 'streaming' }
    const { client, stream } = await ready('/sts', { receiveAudio, partials: 'false' })
    for (const words of ['one two three four five six', 'seven eight nine']) stream.hear(words)
    await client.until('endSynth', 2)
    const story = client.heard.slice(3).map(({ name, payload }) => `${name} ${(payload as StsResult).id}`)
    expect(story.filter(line => line === 'result 1').length).toBeGreaterThan(1)
    expect(story.filter((line, n) => line !== story[n - 1])).toEqual([
      ...['result 1', 'endSynth 1', 'result 2', 'endSynth 2'],
    ])
  })

  test('a fragment can be a byte buffer or what a blob holds, with or without an acknowledgment', async () => {
    const { ready } = await fakeService()
    const { client, stream } = await ready('/stt')
    const blob = new Blob([new Uint8Array(1920)])
    for (const fragment of [Buffer.alloc(1920), new Uint8Array(1920), await blob.arrayBuffer()])
      expect(await client.send(fragment)).toBe(true)
    client.socket.emit('write_stream', Buffer.alloc(1920))
    await expect.poll(() => stream.samples).toBe(4 * 960)
  })
})
