import { describe, expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { controlled } from '../../support/web/control-harness.ts'

async function spoken(transcripts: object = {}, wishes: Partial<Parameters<typeof controlled>[0]> = {}) {
  const it = await controlled({ transcripts, ...wishes })
  it.join('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna' })
  it.join('bob', { speaks: 'es-es', hears: 'es-es' })
  await it.run(100)
  it.connection('en-us', 'es-es').sink.result({
    utterance: '1',
    final: true,
    text: 'one',
    translation: 'uno',
  })
  await it.run(100)
  it.connection('es-es', 'en-us').sink.result({
    utterance: '1',
    final: true,
    text: 'dos <b>',
    translation: 'two',
  })
  return it
}

test('of an open room, in every format', async () => {
  const { ask } = await spoken()
  const { body } = await ask('GET', '/rooms/r/transcript')
  expect(body).toMatchObject({
    room: 'r',
    dropped: 0,
    entries: [{ text: 'one', translation: 'uno' }, { text: 'dos <b>' }],
  })
  expect((await ask('GET', `/transcripts/${body.id}`)).body).toEqual(body)
  for (const [format, type, text] of [
    ['srt', 'application/x-subrip', '1\n00:00:00,100 --> '],
    ['vtt', 'text/vtt', 'dos &lt;b&gt;'],
    ['text', 'text/plain', '[00:00:00] Anna (en-us): one\n    (es-es): uno\n'],
  ] as const) {
    const answer = await ask('GET', `/rooms/r/transcript?format=${format}`)
    expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect(answer.text).toContain(text)
  }
  const one = await ask('GET', '/rooms/r/transcript?format=text&to=es-es&lines=translation')
  expect(one.text).toBe('[00:00:00] Anna (es-es): uno\n')
  expect((await ask('GET', '/rooms/r/transcript?format=doc')).body.error).toBe('value_not_allowed')
})

test('ends with its room', async () => {
  const { ask, relay } = await spoken()
  const { id } = (await ask('GET', '/rooms/r/transcript')).body
  await relay.rooms.get('r')?.close()
  expect((await ask('GET', '/rooms/r/transcript')).body.error).toBe('room_unknown')
  expect((await ask('GET', `/transcripts/${id}`)).body.error).toBe('transcript_unknown')
  expect((await ask('GET', '/transcripts')).body).toEqual({ transcripts: [] })
  await ask('POST', '/rooms', { name: 'r' })
  for (const method of ['GET', 'DELETE'])
    expect((await ask(method, '/rooms/r/transcript')).body.error).toBe('transcript_unknown')
})

test('is kept for the configured time unless it is deleted', async () => {
  const { ask, relay, clock } = await spoken({ store: 'memory', keepHours: 1 })
  const { id } = (await ask('GET', '/rooms/r/transcript')).body
  await relay.rooms.get('r')?.close()
  await until(() => relay.rooms.size === 0, 5_000, 'the end')
  const [kept] = (await ask('GET', '/transcripts?room=r')).body.transcripts
  expect(kept).toMatchObject({ id, room: 'r', deletedAt: '2026-11-20T11:00:00.200Z' })
  expect((await ask('GET', '/transcripts?room=other')).body.transcripts).toEqual([])
  expect((await ask('GET', `/transcripts/${id}?format=srt`)).text).toContain('Anna: one')
  clock.advance(3_600_000)
  expect((await ask('GET', `/transcripts/${id}`)).status).toBe(404)

  const again = await spoken({ store: 'memory' })
  const other = (await again.ask('GET', '/rooms/r/transcript')).body.id
  await again.relay.rooms.get('r')?.close()
  await until(() => again.relay.rooms.size === 0, 5_000, 'the end')
  expect(await again.ask('DELETE', `/transcripts/${other}`)).toMatchObject({
    status: 200,
    body: { deleted: true },
  })
  expect((await again.ask('DELETE', `/transcripts/${other}`)).body.error).toBe('transcript_unknown')
})

test.each([
  ['by its room', () => '/rooms/r/transcript'],
  ['by its id', (id: string) => `/transcripts/${id}`],
])('the transcript of an open room is deleted %s, along with its captions', async (_, path) => {
  const { ask, services, url } = await spoken()
  const { id } = (await ask('GET', '/rooms/r/transcript')).body
  expect((await ask('DELETE', path(id))).body).toEqual({ id, deleted: true })
  expect((await ask('GET', '/rooms/r/transcript')).body.entries).toEqual([])
  const { token } = services.links.issue('r', 60_000)
  const response = await fetch(`${url}/v1/rooms/r/captions?token=${token}`)
  const { value } = await response.body!.getReader().read()
  expect(Buffer.from(value!).toString()).toBe('retry: 2000\n\n')
})

describe('by a link', () => {
  const closed = async ({ relay }: Awaited<ReturnType<typeof spoken>>) => {
    await relay.rooms.get('r')?.close()
    await until(() => relay.rooms.size === 0, 5_000, 'the end')
  }
  /** Sends a request with the token of a link. */
  const by = async (url: string, token: string, path: string) => {
    const response = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, text: await response.text() }
  }

  test('only the transcript of the link’s room is accessible, in every format', async () => {
    const it = await spoken()
    const { token } = it.services.links.issue('r', 60_000)
    expect((await by(it.url, token, '/rooms/r/transcript?format=vtt')).text).toContain('dos &lt;b&gt;')
    expect((await fetch(`${it.url}/v1/rooms/r/transcript?format=text&token=${token}`)).status).toBe(200)
    const { id } = (await it.ask('GET', '/rooms/r/transcript')).body
    expect((await by(it.url, token, `/rooms/r/transcript?life=${id}`)).status).toBe(200)
    it.join('carl', { room: 'other' })
    await it.run(100)
    const other = (await it.ask('GET', '/rooms/other')).body.life
    for (const path of ['/rooms/other/transcript', `/transcripts/${id}`, '/transcripts'])
      expect((await by(it.url, token, path)).status, path).toBe(401)
    expect((await by(it.url, token, `/rooms/r/transcript?life=${other}`)).status).toBe(404)
    await it.services.links.revoke('r')
    expect((await by(it.url, token, '/rooms/r/transcript')).status).toBe(401)
  })

  test('cannot be deleted', async () => {
    const it = await spoken()
    const { token } = it.services.links.issue('r', 60_000)
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${it.url}/v1/rooms/r/transcript`, { method: 'DELETE', headers })).status).toBe(401)
  })

  test('a stored transcript is accessible after the room has ended, until the link expires', async () => {
    const it = await spoken({ store: 'memory' })
    const { token } = it.services.links.issue('r', 60_000)
    const { id } = (await it.ask('GET', '/rooms/r/transcript')).body
    await closed(it)
    expect((await by(it.url, token, '/rooms/r/transcript')).text).toContain('room_unknown')
    expect((await by(it.url, token, `/rooms/r/transcript?life=${id}&format=text`)).text).toContain('uno')
    it.clock.advance(60_000)
    expect((await by(it.url, token, `/rooms/r/transcript?life=${id}`)).status).toBe(401)
  })

  test('a life that ended before the link was created is accessible only with a key', async () => {
    const it = await spoken({ store: 'memory' })
    const { id } = (await it.ask('GET', '/rooms/r/transcript')).body
    await closed(it)
    it.clock.advance(1_000)
    await it.ask('POST', '/rooms', { name: 'r' })
    const { token } = (await it.ask('POST', '/rooms/r/captions/link')).body
    expect((await by(it.url, token, `/rooms/r/transcript?life=${id}`)).text).toContain('transcript_unknown')
    expect((await it.ask('GET', `/rooms/r/transcript?life=${id}`)).body.entries).toHaveLength(2)
    expect((await it.ask('GET', `/rooms/other/transcript?life=${id}`)).body.error).toBe('transcript_unknown')
  })

  test('is rate-limited per address; rejected requests do not count against others', async () => {
    const it = await spoken()
    const { token } = it.services.links.issue('r', 60_000)
    const statuses: number[] = []
    for (let n = 0; n < 35; n++) statuses.push((await by(it.url, token, '/rooms/r/transcript')).status)
    expect(statuses).toEqual([...Array(30).fill(200), ...Array(5).fill(429)])
    expect((await it.ask('GET', '/rooms/r/transcript')).status).toBe(200)
    it.clock.advance(2_000)
    expect((await by(it.url, token, '/rooms/r/transcript')).status).toBe(200)
  })

  test('is rate-limited per link and for all links together, if addresses are exempt', async () => {
    const it = await spoken({}, { groupOf: () => undefined })
    const [one, other] = [
      it.services.links.issue('r', 60_000).token,
      it.services.links.issue('r', 60_000).token,
    ]
    const ok = async (token: string, times: number) => {
      let count = 0
      for (let n = 0; n < times; n++)
        if ((await by(it.url, token, '/rooms/r/transcript')).status === 200) count++
      return count
    }
    expect(await ok(one, 50)).toBe(40)
    expect(await ok(other, 30)).toBe(20)
    expect((await it.ask('GET', '/rooms/r/transcript')).status).toBe(200)
    it.clock.advance(1_000)
    expect((await by(it.url, other, '/rooms/r/transcript')).status).toBe(200)
  })
})
