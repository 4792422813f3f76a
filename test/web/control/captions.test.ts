import { connect } from 'node:net'
import { EventSource } from 'eventsource'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'
import { controlled, KEY } from '../../support/web/control-harness.ts'

const WAIT_MS = 10_000

/** Reads as a browser does, with a standard client that reconnects automatically. */
function reader(url: string, { key = KEY as string | null, lastId = '' } = {}) {
  const events: { type: string; id: string; data: Record<string, unknown> }[] = []
  const source = new EventSource(url, {
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: {
          ...init?.headers,
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(lastId === '' ? {} : { 'last-event-id': lastId }),
        },
      }),
  })
  onTestFinished(() => source.close())
  const state = { opened: 0 }
  source.addEventListener('open', () => state.opened++)
  for (const type of ['caption', 'service', 'missed', 'end', 'expired'])
    source.addEventListener(type, ({ data, lastEventId }) =>
      events.push({ type, id: lastEventId, data: JSON.parse(data) }),
    )
  const texts = () => events.flatMap(({ type, data }) => (type === 'caption' ? [data.text] : []))
  return { events, source, state, texts }
}

async function talking() {
  const it = await controlled()
  const anna = it.join('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna' })
  it.join('bob', { speaks: 'es-es', hears: 'es-es' })
  await it.run(100)
  const path = `${it.url}/v1/rooms/r/captions`
  /** The service returns a result for Anna’s speech. */
  const caption = (utterance: string, text: string, final = true) =>
    it.connection('en-us', 'es-es').sink.result({ utterance, final, text, translation: `es ${text}` })
  return { ...it, anna, path, caption }
}

describe('captions', () => {
  test('are sent with both languages, speaker and times, partial and final, until the room ends', async () => {
    const { path, caption, say, run, relay } = await talking()
    const { events, state } = reader(path)
    await until(() => state.opened === 1, WAIT_MS, 'the stream')
    say('anna', sine(440, 1_000))
    await run(600)
    caption('1', 'good', false)
    await run(1_000)
    caption('1', 'good morning')
    await until(() => events.length === 2, WAIT_MS, 'two captions')
    expect(events[1]).toEqual({
      type: 'caption',
      id: expect.stringMatching(/^[\w-]{20}\.2$/),
      data: {
        room: 'r',
        speaker: 'anna',
        name: 'Anna',
        utterance: 'anna.1.1',
        from: 'en-us',
        to: 'es-es',
        final: true,
        text: 'good morning',
        translation: 'es good morning',
        // She started 100 ms after the room opened, and spoke for a second.
        startMs: 100,
        endMs: expect.closeTo(1_080, -2),
        startedAt: '2026-11-20T10:00:00.100Z',
      },
    })
    expect(events[0]?.data).toMatchObject({ final: false, text: 'good', startMs: 100 })
    await relay.rooms.get('r')?.close()
    await until(() => events.at(-1)?.type === 'end', WAIT_MS, 'the end')
  })

  test('a disconnected reader reconnects automatically and misses nothing', async () => {
    const { path, caption, server } = await talking()
    const { texts, state, source } = reader(path)
    await until(() => state.opened === 1, WAIT_MS, 'the stream')
    caption('1', 'one')
    await until(() => texts().length === 1, WAIT_MS, 'a caption')
    server.server.closeAllConnections()
    await until(() => source.readyState === source.CONNECTING, WAIT_MS, 'the cut')
    caption('2', 'two')
    await until(() => texts().length === 2, WAIT_MS, 'the replay')
    caption('3', 'three')
    await until(() => texts().length === 3, WAIT_MS, 'more')
    expect(texts()).toEqual(['one', 'two', 'three'])
  })

  test('reports that a speaker is not translated, and their recovery', async () => {
    const { path, connection, translator, say, run } = await talking()
    const { events, state } = reader(`${path}?to=es-es&final=true`)
    await until(() => state.opened === 1, WAIT_MS, 'the stream')
    say('anna', sine(440, 2_000))
    await run(1_000)
    translator.autoReady = false
    connection('en-us', 'es-es').drop({ kind: 'hangup', by: 'remote' })
    await run(500)
    connection('en-us', 'es-es').sink.ready()
    await run(200)
    await until(() => events.length === 2, WAIT_MS, 'both')
    expect(events.map(({ data }) => data)).toEqual([
      { room: 'r', speaker: 'anna', to: 'es-es', unavailable: true, why: 'no-connection' },
      { room: 'r', speaker: 'anna', to: 'es-es', unavailable: false },
    ])
  })

  test('a reader that stops reading is disconnected, and its queue is limited', async () => {
    const { url, caption, services } = await talking()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(`GET /v1/rooms/r/captions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`)
    await new Promise(resolve => socket.once('data', resolve))
    socket.pause()
    for (let n = 0; services.captionHub.readers > 0; n++) {
      caption(`${n}`, 'x'.repeat(4_000))
      // 64 KiB in this process, and the socket buffers of both ends.
      expect(n).toBeLessThan(10_000)
      if (n % 100 === 0) await new Promise(resolve => setImmediate(resolve))
    }
  })

  test('forgets a reader that has disconnected', async () => {
    const { path, services } = await talking()
    const { source, state } = reader(path)
    await until(() => state.opened === 1, WAIT_MS, 'the stream')
    expect(services.captionHub.readers).toBe(1)
    source.close()
    await until(() => services.captionHub.readers === 0, WAIT_MS, 'the end')
  })

  test('the server closes even with readers connected', async () => {
    const { path, server, services } = await talking()
    const { state } = reader(path)
    await until(() => state.opened === 1, WAIT_MS, 'the stream')
    await server.close()
    await until(() => services.captionHub.readers === 0, WAIT_MS, 'the end')
  })
})

describe('links', () => {
  test('open only the captions of their room, for a limited time', async () => {
    const { ask, url, caption, clock, join } = await talking()
    const { status, body } = await ask('POST', '/rooms/r/captions/link', { minutes: 5 })
    expect(status).toBe(201)
    expect(body).toEqual({
      url: `/v1/rooms/r/captions?token=${body.token}`,
      page: `/captions/r#token=${body.token}`,
      token: expect.any(String),
      expiresAt: '2026-11-20T10:05:00.100Z',
    })
    const { texts, state } = reader(url + body.url, { key: null })
    await until(() => state.opened === 1, WAIT_MS, 'the stream')
    caption('1', 'one')
    await until(() => texts().length === 1, WAIT_MS, 'a caption')
    join('carl', { room: 'other' })
    const refused = async (path: string) => (await fetch(`${url}/v1${path}`)).status
    expect(await refused(`/rooms/other/captions?token=${body.token}`)).toBe(401)
    expect(await refused(`/rooms/r?token=${body.token}`)).toBe(401)
    expect(await refused(`/transcripts?token=${body.token}`)).toBe(401)
    clock.advance(300_000)
    expect(await refused(`/rooms/r/captions?token=${body.token}`)).toBe(401)
  })

  test('also work in a header, which logs do not contain', async () => {
    const { ask, url, caption, clock } = await talking()
    const { token } = (await ask('POST', '/rooms/r/captions/link', { minutes: 1 })).body
    const byLink = reader(`${url}/v1/rooms/r/captions`, { key: token })
    await until(() => byLink.state.opened === 1, WAIT_MS, 'the stream')
    caption('1', 'one')
    await until(() => byLink.texts().length === 1, WAIT_MS, 'a caption')
    const refused = async (path: string) =>
      (await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await refused('/rooms/r')).toBe(401)
    expect(await refused('/rooms/r/captions?token=a.b')).toBe(200)
    clock.advance(60_000)
    await until(() => byLink.events.at(-1)?.type === 'expired', WAIT_MS, 'the end')
    expect(await refused('/rooms/r/captions')).toBe(401)
  })

  test('end their streams with an event when they expire, and open no others', async () => {
    const { ask, url, caption, clock, run } = await talking()
    const { body } = await ask('POST', '/rooms/r/captions/link', { minutes: 1 })
    const byLink = reader(url + body.url, { key: null })
    const byKey = reader(`${url}/v1/rooms/r/captions`)
    await until(() => byLink.state.opened + byKey.state.opened === 2, WAIT_MS, 'both streams')
    clock.advance(59_999)
    caption('1', 'one')
    await until(() => byLink.texts().length === 1, WAIT_MS, 'a caption')
    clock.advance(1)
    await until(() => byLink.events.at(-1)?.type === 'expired', WAIT_MS, 'the end')
    expect((await fetch(url + body.url)).status).toBe(401)
    await run(40)
    caption('2', 'two')
    await until(() => byKey.texts().length === 2, WAIT_MS, 'who has a key reads on')
    expect(byLink.texts()).toEqual(['one'])
    expect(byLink.events.at(-1)).toMatchObject({ type: 'expired', data: { room: 'r' } })
  })

  test('are revoked at once with their streams, for one room only', async () => {
    const { ask, url, join, services } = await talking()
    join('carl', { room: 'other' })
    const link = async (room: string) => url + (await ask('POST', `/rooms/${room}/captions/link`)).body.url
    const revoked = await link('r')
    const [mine, other] = [reader(revoked, { key: null }), reader(await link('other'), { key: null })]
    await until(() => mine.state.opened + other.state.opened === 2, WAIT_MS, 'both streams')
    expect(await ask('DELETE', '/rooms/r/captions/link')).toMatchObject({
      status: 200,
      body: { room: 'r', revoked: true },
    })
    await until(() => mine.events.length > 0, WAIT_MS, 'the end')
    expect((await fetch(revoked)).status).toBe(401)
    expect(mine.events.map(({ type }) => type)).toEqual(['expired'])
    expect(other.source.readyState).toBe(other.source.OPEN)
    expect((await fetch(await link('r'))).status).toBe(200)
    expect((await ask('DELETE', '/rooms/nobody/captions/link')).body.error).toBe('room_unknown')
    await until(() => services.captionHub.readers === 2, WAIT_MS, 'only the others')
  })

  test('cannot be guessed: invalid ones count as wrong keys', async () => {
    const { url } = await controlled({ maxAttemptsPerMinute: 2 })
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await fetch(`${url}/v1/rooms/r/captions?token=a.b`)).status)
    expect(statuses).toEqual([401, 401, 429])
  })
})

test('a room that does not exist has no captions; a planned one has a stream', async () => {
  const { ask, url } = await controlled()
  expect((await ask('GET', '/rooms/r/captions')).body.error).toBe('room_unknown')
  await ask('POST', '/rooms', { name: 'r' })
  const { events, state } = reader(`${url}/v1/rooms/r/captions`)
  await until(() => state.opened === 1, WAIT_MS, 'the stream')
  await ask('DELETE', '/rooms/r')
  await until(() => events.length === 1, WAIT_MS, 'the end')
  expect(events[0]?.type).toBe('end')
})
