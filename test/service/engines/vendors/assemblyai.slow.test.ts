import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../../../src/common/clock.ts'
import { systemWallClock } from '../../../../src/common/wall-clock.ts'
import type { SpeechToText } from '../../../../src/service/engines/engine.ts'
import { assemblyAiRecognizer } from '../../../../src/service/engines/vendors/assemblyai.ts'
import { FakeAssemblyAi } from '../../../support/engines/live/fake-assemblyai.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { LIVE, liveRecognizer, liveSpeech, recognizing } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

const engineAt = (url: string, changes = {}) =>
  assemblyAiRecognizer({ ...LIVE, url, model: 'universal-3-5-pro', ...changes }, systemClock, systemWallClock)

liveRecognizer(
  'AssemblyAI',
  () => new FakeAssemblyAi().listen(),
  (url, changes) => lowerCase(engineAt(url, changes)),
)

/** Formatted turns have a capital and a full stop, which the checks do not expect. */
function lowerCase(engine: SpeechToText): SpeechToText {
  const open = engine.open.bind(engine)
  const plain = <T extends { text: string }>(each: T) => ({
    ...each,
    text: each.text.toLowerCase().replace('.', ''),
  })
  engine.open = (language, sink) =>
    open(language, {
      partial: each => sink.partial(plain(each)),
      final: each => sink.final(plain(each)),
      failed: error => sink.failed(error),
    })
  return engine
}

test('a turn ends once, with its formatted text and its language', async () => {
  const server = await new FakeAssemblyAi().listen()
  const { stream, finals } = await recognizing(engineAt(server.url))
  stream.write(toneSpeech(2))
  await until(() => finals.length >= 2, 10_000, 'two words')
  await stream.close()
  expect(finals).toMatchObject([
    { text: 'One.', language: 'en-us' },
    { text: 'Two.', language: 'en-us' },
  ])
})

test.each([
  [3008, 'expired'],
  [3005, 'server error'],
])('close code %i (%s) leads to a new connection', async code => {
  const server = await new FakeAssemblyAi().listen()
  server.closesWith = code
  const { stream, finals } = await recognizing(engineAt(server.url))
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(2, 400, 600))
  await until(() => finals.length >= 2, 10_000, 'two words')
  await stream.close()
  expect(server.connections).toBe(2)
})

test.each([[4001], [4002], [3006]])('close code %i is final', async code => {
  const server = await new FakeAssemblyAi().listen()
  server.closesWith = code
  const { stream, failed } = await recognizing(engineAt(server.url))
  stream.write(toneSpeech(1))
  expect((await failed).message).toBe(`assemblyai: closed the connection (${code})`)
  expect(server.connections).toBe(1)
  await stream.close()
})

const PATH = '/v3/ws?sample_rate=16000&encoding=pcm_s16le'

test.each([
  ['no key', PATH, {}],
  ['a key with a scheme', PATH, { authorization: `Bearer ${FAKE_KEY}` }],
  ['an unknown parameter', `${PATH}&language=en`, { authorization: FAKE_KEY }],
  ['audio of an unknown format', '/v3/ws?sample_rate=16000', { authorization: FAKE_KEY }],
])('the fake refuses %s', async (_fault, path, headers) => {
  const server = await new FakeAssemblyAi().listen()
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers })
  socket.on('error', () => {})
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.connections).toBe(0)
  socket.terminate()
})

test.each([
  ['a short message', Buffer.alloc(320)],
  ['a long message', Buffer.alloc(64_000)],
  ['half a sample', Buffer.alloc(3_201)],
  ['an unknown event', '{"type":"KeepAlive"}'],
])('the fake ends a connection for %s', async (_fault, data) => {
  const server = await new FakeAssemblyAi().listen()
  const socket = new WebSocket(server.url.replace('http', 'ws') + PATH, {
    headers: { authorization: FAKE_KEY },
  })
  socket.on('open', () => socket.send(data))
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  await until(() => server.sockets.size === 0, 5_000, 'the end')
})
