import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { query, TestClient } from '../../support/service/test-client.ts'

test.each(['/', '/admin', '/STS'])('rejects %s after the key was checked', async namespace => {
  const { connect } = await fakeService()
  const refused = connect(namespace)
  expect(await refused.until<ServiceErrorBody>('connect_error')).toMatchObject({
    code: 'bad_namespace',
    description: expect.stringContaining('/stt, /translator, /tts, /sts'),
  })
  const stranger = connect(namespace, {}, 'wrong')
  expect(await stranger.until<ServiceErrorBody>('connect_error')).toMatchObject({ code: 'unauthorized' })
})

test('attempted names leave no resources behind', async () => {
  const { connect, service } = await fakeService()
  for (let n = 0; n < 20; n++) await connect(`/guess-${n}`).until('connect_error')
  expect(Array.from(service.io._nsps.keys()).toSorted()).toEqual(['/', '/sts', '/stt', '/translator', '/tts'])
})

test('slow rejected CONNECT packets do not end sessions on the same connection', async () => {
  const clock = new FakeClock()
  const { ready } = await fakeService({}, { clock })
  const { client } = await ready('/stt')
  for (let n = 0; n < 20; n++) {
    clock.advance(2_000)
    const socket = client.socket.io.socket(`/none-${n}`, { auth: { token: KEY } })
    await new Promise(resolve => socket.once('connect_error', resolve))
  }
  expect(client.names).not.toContain('disconnect')
})

test.each([undefined, '', 'wrong', 'x'.repeat(100_000)])(
  'rejects clients without the key: %.10s',
  async token => {
    const { url } = await fakeService()
    const client = new TestClient(`${url}/sts`, token, query())
    const body = await client.until<ServiceErrorBody>('connect_error')
    expect(body).toMatchObject({ code: 'unauthorized', error: token ? 'key_wrong' : 'key_missing' })
    expect(client.names).toEqual(['connect_error'])
    client.close()
  },
)

test('rejects a token that is not a string', async () => {
  const { url } = await fakeService()
  for (const token of [5, true, ['a'], { toString: 1 }]) {
    const client = new TestClient(`${url}/sts`, token as never, query())
    expect(await client.until('connect_error')).toMatchObject({ error: 'key_missing' })
    client.close()
  }
})

test('accepts each of several keys', async () => {
  const apiKeys = ['first', { name: 'second', key: 'the second' }]
  const { connect } = await fakeService({ apiKeys })
  await connect('/stt', {}, 'first').until('start')
  await connect('/stt', {}, 'the second').until('start')
  await connect('/stt', {}, 'second').until('connect_error')
})

test('without keys: accepts any client', async () => {
  const { url, connect } = await fakeService({ apiKeys: [], open: true })
  await connect('/stt', {}, 'anything').until('start')
  expect((await fetch(`${url}/api/languages`)).status).toBe(200)
})

test.each([
  ['/stt', 'write_stream', 'not_binary'],
  ['/translator', 'text', 'not_text'],
])(
  '%s: an event without a payload is acknowledged, and the session continues',
  async (namespace, event, error) => {
    const { ready } = await fakeService()
    const { client } = await ready(namespace)
    expect(await client.socket.timeout(5_000).emitWithAck(event)).toBe(false)
    expect(await client.error()).toMatchObject({ error, description: expect.stringContaining('is missing') })
    expect(
      await client.socket.timeout(5_000).emitWithAck(event, event === 'text' ? 'a' : Buffer.alloc(2)),
    ).toBe(true)
  },
)

test('errors name received values by type and size, however large', async () => {
  const { ready } = await fakeService()
  const { client } = await ready('/translator')
  for (const [payload, words] of [
    [Array(1_000).fill('x'), 'is a list of 1000'],
    [{ text: 'hello' }, 'is an object'],
    [Buffer.alloc(700), 'is 700 bytes'],
    [17, 'is 17'],
    [null, 'is null'],
  ] as const) {
    const count = client.payloads('error').length + 1
    expect(await client.sendText(payload)).toBe(false)
    expect((await client.until<ServiceErrorBody>('error', count)).description).toContain(words)
  }
})

test('distinguishes a rate sent as a string from a number', async () => {
  const { connect } = await fakeService()
  const { description } = await connect('/stt', { sendAudio: { sampleRate: '16000' } }).error()
  expect(description).toMatch(
    /^sendAudio.sampleRate is "16000", a string; allowed are the numbers 8000, .*48000$/,
  )
})
