import { once } from 'node:events'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import type { TestClient } from '../../support/service/test-client.ts'

const OTHER = 'the-key-of-another-client'
const PIECE = Buffer.alloc(640)
const ENDED = { code: 'limit', error: 'too_many_messages', description: expect.stringContaining('200') }

/** A service whose clock stands still, so that only the burst counts. */
async function still() {
  const clock = new FakeClock()
  const apiKeys = [
    { name: 'one', key: KEY },
    { name: 'other', key: OTHER },
  ]
  return { clock, ...(await fakeService({ apiKeys, maxBacklogMs: 1_000_000, maxSessions: 50 }, { clock })) }
}

function emit(client: TestClient, count: number, event = 'write_stream', payload: unknown = PIECE): void {
  for (let n = 0; n < count; n++) client.socket.emit(event, payload)
}

test('a replay of 30 s in pieces of 20 ms passes at once, and speech after it', async () => {
  const { ready, clock } = await still()
  const { client, stream } = await ready('/stt')
  emit(client, 1_500)
  expect(await client.send(PIECE)).toBe(true)
  for (let second = 0; second < 30; second++) {
    clock.advance(1_000)
    emit(client, 50)
  }
  expect(await client.send(PIECE)).toBe(true)
  expect(stream.samples).toBe(320 * (1_500 + 1 + 30 * 50 + 1))
  expect(client.names).not.toContain('error')
})

test.each<[string, string, string, unknown]>([
  ['fragments of 2 bytes', '/stt', 'write_stream', Buffer.alloc(2)],
  ['empty fragments', '/sts', 'write_stream', Buffer.alloc(0)],
  ['rejected fragments', '/stt', 'write_stream', 'no audio'],
  ['texts', '/translator', 'text', ''],
  ['events that the namespace does not take', '/tts', 'write_stream', Buffer.alloc(2)],
])('%s beyond the burst end the session, and another key is served', async (_, namespace, event, payload) => {
  const { ready, connect } = await still()
  const client = connect(namespace)
  await client.until('start')
  const other = connect('/stt', {}, OTHER)
  await other.until('start')
  emit(client, 5_000, event, payload)
  // Sessions also end after many rejected payloads.
  await client.until('disconnect')
  const [code] = client.payloads<{ code: string }>('error').slice(-1)
  expect(code).toMatchObject({ code: 'limit' })
  expect(await other.send(PIECE)).toBe(true)
  expect((await ready('/stt')).client.names).toContain('start')
})

test('connecting again gives no new burst', async () => {
  const { connect, clock } = await still()
  for (const served of [1_900, 90]) {
    const client = connect('/stt')
    await client.until('start')
    emit(client, served)
    expect(await client.send(PIECE)).toBe(true)
    client.close()
    await client.until('disconnect')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const client = connect('/stt')
  await client.until('start')
  emit(client, 100)
  expect(await client.error()).toEqual(ENDED)
  clock.advance(10_000)
  const again = connect('/stt')
  await again.until('start')
  emit(again, 1_500)
  expect(await again.send(PIECE)).toBe(true)
})

/** Joins `/stt` on a bare connection. */
async function bare(url: string) {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&languageIdSource=en-us`,
  )
  socket.on('error', () => {})
  const heard: string[] = []
  socket.on('message', data => heard.push(String(data)))
  await once(socket, 'message')
  socket.send(`40/stt,{"token":"${KEY}"}`)
  await expect.poll(() => heard.some(text => text.includes('"start"'))).toBe(true)
  return { socket, heard }
}

test.each([
  ['acknowledgments', '43/stt,1[]'],
  ['pongs', '3'],
  ['events without a name', '42/stt,["x"]'],
])('%s count as well', async (_, packet) => {
  const { url } = await still()
  const { socket, heard } = await bare(url)
  for (let n = 0; n < 2_100; n++) socket.send(packet)
  await expect.poll(() => heard.some(text => text.includes('41/stt'))).toBe(true)
  expect(heard.join('\n')).toContain(packet.includes('"x"') ? '"limit"' : 'too_many_messages')
  socket.terminate()
})

test('all sessions of a connection share the limit, and each gets the reason', async () => {
  const { url } = await still()
  const { socket, heard } = await bare(url)
  socket.send(`40/translator,{"token":"${KEY}"}`)
  await expect
    .poll(() => heard.filter(text => text.includes('"error"') || text.includes('"start"')).length)
    .toBe(2)
  await new Promise(resolve => setTimeout(resolve, 50))
  for (let n = 0; n < 2_100; n++) socket.send('43/stt,1[]')
  await expect.poll(() => heard.filter(text => text.includes('too_many_messages')).length).toBeGreaterThan(0)
  socket.terminate()
})

test('polling is limited within one request', async () => {
  const { url, service } = await still()
  const base = `${url}/socket.io/?EIO=4&transport=polling&languageIdSource=en-us`
  const { sid } = JSON.parse((await (await fetch(base)).text()).slice(1)) as { sid: string }
  const at = `${base}&sid=${sid}`
  const post = (body: string) =>
    fetch(at, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
  await post(`40/stt,{"token":"${KEY}"}`)
  let heard = ''
  while (!heard.includes('"start"')) heard += await (await fetch(at)).text()
  const taken = service.figures().sessions
  await post(Array.from({ length: 50_000 }, () => '43/stt,1[]').join('\u001e'))
  while (!heard.includes('too_many_messages')) heard += await (await fetch(at)).text()
  expect(taken).toBe(1)
  await expect.poll(() => service.figures().sessions).toBe(0)
})
