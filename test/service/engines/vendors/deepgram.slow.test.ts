import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../../../src/common/clock.ts'
import { deepgramRecognizer } from '../../../../src/service/engines/vendors/deepgram.ts'
import { FakeDeepgram } from '../../../support/engines/live/fake-deepgram.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { LIVE, liveRecognizer, recognizing } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

const engineAt =
  (model: string) =>
  (url: string, changes = {}) =>
    deepgramRecognizer({ ...LIVE, url, model, pauseMs: 300, ...changes }, systemClock)
const nova = engineAt('nova-3')
const flux = engineAt('flux-general-multi')

liveRecognizer('Deepgram Nova', () => new FakeDeepgram().listen(), nova)
liveRecognizer('Deepgram Flux', () => new FakeDeepgram().listen(), flux)

test('a quiet connection is kept with messages', async () => {
  const server = new FakeDeepgram()
  server.idleMs = 5_000
  await server.listen()
  const engine = nova(server.url)
  const { stream } = await recognizing(engine)
  await new Promise(resolve => setTimeout(resolve, 6_000))
  expect(server.sockets.size).toBe(1)
  expect(server.refusals).toEqual([])
  await stream.close()
})

test('terms to expect are in the request, each by itself', async () => {
  const server = await new FakeDeepgram().listen()
  const sink = { partial() {}, final() {}, failed() {} }
  for (const engineOf of [nova, flux]) {
    const engine = engineOf(server.url)
    const stream = await engine.open('en-us', sink, { terms: ['Dragoman', 'Ana Núñez', 'O’Hara'] })
    await stream.close()
    expect(server.queries.at(-1)?.getAll('keyterm')).toEqual(['Dragoman', 'Ana Núñez', 'O’Hara'])
  }
  expect(server.refusals).toEqual([])
})

test('Flux tells the detected language', async () => {
  const server = await new FakeDeepgram().listen()
  const { stream, finals } = await recognizing(flux(server.url))
  stream.write(toneSpeech(1))
  await until(() => finals.length > 0, 10_000, 'a word')
  expect(finals[0]).toMatchObject({ language: 'en-us' })
  await stream.close()
})

test('Nova tells the confidence of each word', async () => {
  const server = await new FakeDeepgram().listen()
  const { stream, finals } = await recognizing(nova(server.url))
  stream.write(toneSpeech(1))
  await until(() => finals.length > 0, 10_000, 'a word')
  expect(finals[0]).toMatchObject({ confidence: [0.75] })
  await stream.close()
})

const PATH = '/v1/listen?model=nova-3&encoding=linear16&sample_rate=16000'

test.each([
  ['no key', PATH, {}],
  ['the key in the address', `${PATH}&keyterm=${FAKE_KEY}`, { authorization: `Token ${FAKE_KEY}` }],
  ['another scheme', PATH, { authorization: `Bearer ${FAKE_KEY}` }],
  ['an unknown parameter', `${PATH}&punctuation=1`, { authorization: `Token ${FAKE_KEY}` }],
  ['audio of an unknown rate', '/v1/listen?model=nova-3', { authorization: `Token ${FAKE_KEY}` }],
])('the fake refuses %s', async (_fault, path, headers) => {
  const server = await new FakeDeepgram().listen()
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers })
  socket.on('error', () => {})
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.connections).toBe(0)
  socket.terminate()
})

test.each([
  ['half a sample', Buffer.alloc(3)],
  ['a control message as binary', Buffer.from('{"type":"KeepAlive"}')],
  ['an unknown message', '{"type":"Stop"}'],
])('the fake ends a connection for %s', async (_fault, data) => {
  const server = await new FakeDeepgram().listen()
  const socket = new WebSocket(server.url.replace('http', 'ws') + PATH, {
    headers: { authorization: `Token ${FAKE_KEY}` },
  })
  socket.on('open', () => socket.send(data))
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  await until(() => server.sockets.size === 0, 5_000, 'the end')
})
