/** Sections 3, 4.4 and 4.5 of the interface document: states, the connection, what a client sends. */
import { io } from 'socket.io-client'
import { describe, expect, test } from 'vitest'
import { NAMESPACES, type StsResult, type TranslatorResult } from '../../../../src/service/contract.ts'
import { joined, pause, recording } from '../../../support/engines/recordings.ts'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'
import { decoded, mp3Of, realService, speak } from '../../../support/service/real-service.ts'
import { query, RECEIVE, TestClient } from '../../../support/service/test-client.ts'

describe('3: states and transitions', () => {
  test.each(NAMESPACES)(
    '3 disconnected → connected on %s: connect, then connected with the parameters',
    async each => {
      const { connect } = await fakeService()
      const client = connect(each)
      await client.until('connected')
      expect(client.names.slice(0, 2)).toEqual(['connect', 'connected'])
      const echo = JSON.stringify(client.payloads('connected')[0])
      expect(echo).toMatch(each === '/tts' ? /es-es/ : /en-us/)
    },
  )

  test.each(NAMESPACES)('3 without a valid key in auth.token %s stays disconnected', async each => {
    const { connect } = await fakeService()
    const client = connect(each, {}, 'wrong')
    expect(await client.until('connect_error')).toMatchObject({ code: 'unauthorized' })
    expect(client.names).toEqual(['connect_error'])
  })

  test.each(NAMESPACES)('3 without valid query parameters %s gets no connected, but an error', async each => {
    const { connect } = await fakeService()
    const client = connect(each, { languageIdSource: 'xx-xx', languageIdTarget: 'xx-xx' })
    await client.until('disconnect')
    expect(client.names).toEqual(['connect', 'error', 'disconnect'])
  })

  test.each(NAMESPACES)(
    '3 connected → ready on %s: start when the session is set up; then data is accepted',
    async each => {
      const { ready } = await fakeService()
      const { client } = await ready(each)
      expect(client.names).toEqual(['connect', 'connected', 'start'])
      const speech = each === '/stt' || each === '/sts'
      expect(await (speech ? client.send(Buffer.alloc(1920)) : client.sendText('one'))).toBe(true)
    },
  )

  test.each(['/stt', '/sts'])(
    '3 rule 1: until start %s is not ready: data is refused and not processed',
    async each => {
      const { connect, engines } = await fakeService()
      const { promise, resolve } = Promise.withResolvers<void>()
      engines.recognizer.gate = promise
      const client = connect(each)
      await client.until('connected')
      expect(await client.send(Buffer.alloc(1920))).toBe(false)
      expect(await client.error()).toMatchObject({ code: 'not_ready', error: 'before_start' })
      expect(client.names).not.toContain('start')
      resolve()
      await client.until('start')
      expect(engines.recognizer.streams[0]?.samples).toBe(0)
      expect(await client.send(Buffer.alloc(1920))).toBe(true)
    },
  )

  test.each(NAMESPACES)(
    '3 a client may disconnect from %s any time, and gets disconnect with a reason',
    async each => {
      const { connect, get } = await fakeService()
      for (const moment of ['connect', 'connected', 'start']) {
        const client = connect(each)
        await client.until(moment)
        client.socket.disconnect()
        expect(await client.until('disconnect')).toBe('io client disconnect')
      }
      const health = async () => (await (await get('/health')).json()) as { sessions: number }
      await expect.poll(health).toMatchObject({ sessions: 0 })
    },
  )

  test('3 rule 2: websocket only, without upgrade and without reconnection, is all a client needs', async () => {
    const { url } = await fakeService()
    const socket = io(`${url}/translator`, {
      transports: ['websocket'],
      upgrade: false,
      reconnection: false,
      auth: { token: KEY },
      query: query(),
    })
    await new Promise(resolve => socket.once('start', resolve))
    expect(socket.io.engine.transport.name).toBe('websocket')
    const answered = new Promise(resolve => socket.once('result', resolve))
    socket.emit('text', 'one')
    expect(await answered).toMatchObject({ translation: 'ONE' })
    socket.disconnect()
  })
})

describe('4.4: the connection', () => {
  test.each(NAMESPACES)('4.4 {base_url}%s?<query>, the key in auth.token, over websocket', async each => {
    const { url } = await fakeService()
    const client = new TestClient(`${url}${each}?${new URLSearchParams(query())}`, KEY, {})
    await client.until('start')
    expect(client.socket.io.engine.transport.name).toBe('websocket')
    client.close()
  })

  test('4.4 there is no namespace but stt, translator, tts and sts', async () => {
    const { connect } = await fakeService()
    for (const name of ['/', '/batch', '/STT'])
      expect(await connect(name).until('connect_error')).toMatchObject({ code: 'bad_namespace' })
  })

  describe('what each does, with the installed engines', () => {
    const real = realService({ maxSessions: 4 })

    test('4.4 /stt transcribes audio sent to it', async () => {
      const client = await real.ready('/stt', { partials: 'false' })
      await speak(client, joined(recording(2), pause(800)))
      expect((await client.until<StsResult>('result')).text).toContain('young man')
      client.close()
    })

    test('4.4 /translator translates text from one language to another', async () => {
      const client = await real.ready('/translator')
      await client.sendText('the house is big')
      expect((await client.until<TranslatorResult>('result')).translation).toBe('La casa es grande.')
      client.close()
    })

    test('4.4 /tts generates audio from text', async () => {
      const client = await real.ready('/tts')
      await client.sendText('La casa es grande.')
      await client.until('endSynth')
      expect(decoded(mp3Of(client, '1')).rms).toBeGreaterThan(500)
      client.close()
    })

    test('4.4 /sts transcribes, translates and synthesizes the translation', async () => {
      const client = await real.ready('/sts')
      await speak(client, joined(recording(2), pause(800)))
      await client.until('endSynth')
      const [result] = client.payloads<StsResult>('result')
      expect(result?.text).toContain('young man')
      expect(result?.translation).toContain('joven')
      expect(decoded(mp3Of(client, '1')).rms).toBeGreaterThan(500)
      client.close()
    })
  })
})

describe('4.5: events sent by the client', () => {
  test('4.5 each send function takes an acknowledgment that receives its status', async () => {
    const { ready } = await fakeService({ maxSessions: 4 })
    for (const each of ['/stt', '/sts']) {
      const { client } = await ready(each)
      expect([await client.send(Buffer.alloc(2)), await client.send(Buffer.alloc(3))]).toEqual([true, false])
    }
    for (const each of ['/translator', '/tts']) {
      const { client } = await ready(each)
      expect([await client.sendText('one'), await client.sendText(1)]).toEqual([true, false])
    }
  })

  test('4.5 without an acknowledgment the same is sent', async () => {
    const { ready } = await fakeService()
    const { client } = await ready('/translator')
    client.socket.emit('text', 'one')
    client.socket.emit('text', 1)
    client.socket.emit('text', 'two')
    await client.until('result', 2)
    expect(client.payloads('error')).toHaveLength(1)
  })

  test.each(['/translator', '/tts'])(
    '4.5 text on %s is a string; it is processed, and a result follows',
    async each => {
      const { ready } = await fakeService()
      const { client } = await ready(each)
      expect(await client.sendText('one')).toBe(true)
      expect(await client.until('result')).toMatchObject({ id: '1', text: 'one' })
    },
  )

  test.each(['/stt', '/sts'])(
    '4.5 write_stream on %s takes a byte buffer or what a blob holds',
    async each => {
      const { ready } = await fakeService()
      const { client, stream } = await ready(each)
      const blob = new Blob([new Uint8Array(1920)])
      for (const fragment of [Buffer.alloc(1920), new Uint8Array(1920), await blob.arrayBuffer()])
        expect(await client.send(fragment)).toBe(true)
      expect(stream.samples).toBe(3 * 960)
    },
  )

  test('4.5 write_stream is sent continuously in fragments, and the whole is processed', async () => {
    const { ready } = await fakeService()
    const { client, stream } = await ready('/stt')
    const acks = await Promise.all(Array.from({ length: 200 }, () => client.send(Buffer.alloc(640))))
    expect(acks.every(ack => ack === true)).toBe(true)
    expect(stream.samples).toBe(200 * 320)
    stream.hear('all of it')
    expect(await client.until('result')).toMatchObject({ text: 'all of it' })
  })

  test('4.5 the acknowledgment of write_stream is a boolean; false means that the fragment failed', async () => {
    const { ready } = await fakeService()
    const { client, stream } = await ready('/stt')
    expect(await client.send(Buffer.alloc(1920))).toBe(true)
    for (const wrong of ['text', 5, {}, Buffer.alloc(7)]) expect(await client.send(wrong)).toBe(false)
    expect(stream.samples).toBe(960)
    expect(client.payloads('error')).toHaveLength(4)
  })

  test.each(['/stt', '/sts'])(
    '4.5 %s takes no text; /translator and /tts take no write_stream',
    async each => {
      const { ready } = await fakeService({ maxSessions: 3 })
      const speech = await ready(each, { receiveAudio: RECEIVE })
      expect(await speech.client.sendText('one')).toBe(false)
      expect(await speech.client.error()).toMatchObject({ error: 'event_not_taken' })
      for (const name of ['/translator', '/tts']) {
        const { client } = await ready(name)
        expect(await client.send(Buffer.alloc(1920))).toBe(false)
        expect(await client.error()).toMatchObject({ error: 'event_not_taken' })
      }
    },
  )
})
