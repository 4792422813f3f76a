import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../../../src/common/clock.ts'
import { sonioxRecognizer } from '../../../../src/service/engines/vendors/soniox/soniox.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { FakeSonioxLive } from '../../../support/engines/live/fake-soniox-live.ts'
import { LIVE, liveRecognizer, liveSpeech, recognizing } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

const OPTIONS = { ...LIVE, model: 'stt-rt-v5', pauseMs: 500 }
const engineAt = (url: string, changes = {}) => sonioxRecognizer({ ...OPTIONS, url, ...changes }, systemClock)

liveRecognizer('Soniox', () => new FakeSonioxLive().listen(), engineAt)

test('a provisional text is replaced, a final one stays, and the language is told', async () => {
  const server = await new FakeSonioxLive().listen()
  const engine = engineAt(server.url)
  const partials: string[] = []
  const finals: object[] = []
  const stream = await engine.open('en-us', {
    partial: ({ text }) => void partials.push(text),
    final: transcript => void finals.push(transcript),
    failed: error => expect.unreachable(error.message),
  })
  stream.write(toneSpeech(1))
  await until(() => finals.length > 0, 10_000, 'a word')
  await stream.close()
  await engine.close()
  expect(partials.slice(0, 3)).toEqual(['onx', 'one', 'one'])
  expect(finals).toMatchObject([{ text: 'one', language: 'en-us' }])
  expect(server.refusals).toEqual([])
})

test('the terms and the pause are in the request', async () => {
  const server = await new FakeSonioxLive().listen()
  const engine = engineAt(server.url, { pauseMs: 900 })
  const sink = { partial() {}, final() {}, failed() {} }
  const stream = await engine.open('en-us', sink, { terms: ['Dragoman', 'Ana Núñez'], about: 'a hotel' })
  await until(() => server.requests.length > 0, 5_000, 'a request')
  expect(server.requests[0]).toMatchObject({
    language_hints: ['en'],
    max_endpoint_delay_ms: 900,
    context: { terms: ['Dragoman', 'Ana Núñez'], text: 'a hotel' },
  })
  expect(server.refusals).toEqual([])
  await stream.close()
  await engine.close()
})

test('a connection without audio is kept with messages', async () => {
  const server = await new FakeSonioxLive().listen()
  const { stream } = await recognizing(engineAt(server.url))
  await until(() => server.keptAlive > 0, 15_000, 'a message')
  expect(server.sockets.size).toBe(1)
  await stream.close()
})

test.each([
  [503, 'that cannot go on'],
  [408, 'that got no audio in time'],
])('code %d ends a connection %s, and no word is lost', async code => {
  const server = await new FakeSonioxLive().listen()
  const engine = engineAt(server.url)
  const { stream, words } = await recognizing(engine)
  server.faults.push(code)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(2, 600, 1_200))
  await until(() => words().length >= 2, 15_000, 'both words')
  await stream.close()
  await engine.close()
  expect(words()).toEqual(['one', 'two'])
  expect(server.connections).toBe(2)
})

test('code 402 is final, and the message of the service is not in the error', async () => {
  const server = await new FakeSonioxLive().listen()
  const engine = engineAt(server.url)
  const { stream, failed } = await recognizing(engine)
  server.faults.push(402)
  stream.write(toneSpeech(1))
  expect((await failed).message).toBe('soniox: answered 402')
  await stream.close()
  await engine.close()
})

test.each([
  ['no key', '/transcribe-websocket', {}],
  [
    'the key in the address',
    `/transcribe-websocket?key=${FAKE_KEY}`,
    { authorization: `Bearer ${FAKE_KEY}` },
  ],
  ['another scheme', '/transcribe-websocket', { authorization: `Token ${FAKE_KEY}` }],
  ['another path', '/v1', { authorization: `Bearer ${FAKE_KEY}` }],
])('the fake refuses %s', async (_fault, path, headers) => {
  const server = await new FakeSonioxLive().listen()
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers })
  socket.on('error', () => {})
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.connections).toBe(0)
  socket.terminate()
})

const SETTINGS = {
  ...{ model: 'stt-rt-v5', audio_format: 'pcm_s16le', sample_rate: 16_000, num_channels: 1 },
  language_hints: ['en'],
}
const seconds = (count: number) => Buffer.alloc(32_000 * count)

test.each<[string, (object | Buffer)[], string]>([
  ['a key in the first message', [{ ...SETTINGS, api_key: FAKE_KEY }], 'the key in a message'],
  ['an unknown field', [{ ...SETTINGS, colour: 'red' }], 'the unknown field colour'],
  ['another model', [{ ...SETTINGS, model: 'stt-rt-v2' }], 'the model stt-rt-v2'],
  [
    'audio of an unknown rate',
    [{ ...SETTINGS, sample_rate: undefined }],
    'raw audio without its rate or channels',
  ],
  ['an endpoint delay out of range', [{ ...SETTINGS, max_endpoint_delay_ms: 100 }], 'another endpoint delay'],
  ['audio before the settings', [seconds(0.1)], 'audio before the settings'],
  ['half a sample', [SETTINGS, Buffer.alloc(3)], 'half a sample'],
  ['audio faster than spoken', [SETTINGS, seconds(3)], 'audio faster than spoken'],
  ['finalize twice', [SETTINGS, { type: 'finalize' }, { type: 'finalize' }], 'finalize too often'],
  ['an unknown message', [SETTINGS, { type: 'stop' }], 'a message of the type stop'],
  ['audio after the end', [SETTINGS, Buffer.alloc(0), seconds(0.1)], 'audio after the end'],
])('the fake ends a connection for %s', async (_fault, messages, reason) => {
  const server = await new FakeSonioxLive().listen()
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/transcribe-websocket`, {
    headers: { authorization: `Bearer ${FAKE_KEY}` },
  })
  await new Promise(resolve => socket.once('open', resolve))
  for (const message of messages) socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message))
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.refusals).toEqual([reason])
  await until(() => server.sockets.size === 0, 5_000, 'the end')
})
