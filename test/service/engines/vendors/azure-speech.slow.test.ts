import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../../../src/common/clock.ts'
import type { SpeechToText } from '../../../../src/service/engines/engine.ts'
import { azureAddresses, azureRecognizer } from '../../../../src/service/engines/vendors/azure/azure.ts'
import { FakeAzureSpeech } from '../../../support/engines/live/fake-azure-speech.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { LIVE, liveRecognizer, recognizing } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

const engineAt = (url: string, changes = {}) =>
  azureRecognizer({ ...LIVE, url, pauseMs: 300, detectLanguage: false, ...changes }, systemClock)

liveRecognizer('Azure', () => new FakeAzureSpeech().listen(), engineAt, {
  // The SDK tells no status of a handshake.
  unavailable: 'ended the session (ConnectionFailure)',
})

test('the token serves several streams, and the key is only in the header of its request', async () => {
  const server = await new FakeAzureSpeech().listen()
  const engine = await engineAt(server.url)
  for (let count = 0; count < 2; count++) await (await recognizing(engine)).stream.close()
  expect(server.tokens).toBe(1)
  expect(server.refusals).toEqual([])
  await engine.close()
})

test('terms and the pause are in the request', async () => {
  const server = await new FakeAzureSpeech().listen()
  const engine = await engineAt(server.url)
  const sink = { partial() {}, final() {}, failed() {} }
  const stream = await engine.open('es-es', sink, { terms: ['Dragoman', 'Ana Núñez'] })
  await until(() => server.contexts.length > 0, 5_000, 'the request')
  await stream.close()
  expect(server.contexts).toMatchObject([
    {
      phraseDetection: { language: 'es-ES' },
      dgi: { groups: [{ items: [{ text: 'Dragoman' }, { text: 'Ana Núñez' }] }] },
    },
  ])
  await engine.close()
})

test('the language is detected among those of the settings', async () => {
  const server = await new FakeAzureSpeech().listen()
  const engine: SpeechToText = await engineAt(server.url, { detectLanguage: true })
  const { stream, finals } = await recognizing(engine)
  stream.write(toneSpeech(1))
  await until(() => finals.length > 0, 10_000, 'a word')
  expect(finals[0]).toMatchObject({ text: 'one', language: 'en-us' })
  expect(server.contexts).toMatchObject([
    { languageId: { languages: ['en-US', 'es-ES'], mode: 'DetectContinuous' } },
  ])
  await stream.close()
  await engine.close()
})

test('addresses follow from the endpoint of the resource', () => {
  expect(azureAddresses('https://westeurope.api.cognitive.microsoft.com')).toEqual({
    token: 'https://westeurope.api.cognitive.microsoft.com/sts/v1.0/issueToken',
    recognition: 'wss://westeurope.stt.speech.microsoft.com/stt/speech/universal/v2',
    synthesis: { url: 'https://westeurope.tts.speech.microsoft.com', path: '/cognitiveservices/v1' },
  })
  expect(azureAddresses('https://mine.cognitiveservices.azure.com')).toEqual({
    token: 'https://mine.cognitiveservices.azure.com/sts/v1.0/issueToken',
    recognition: 'wss://mine.cognitiveservices.azure.com/stt/speech/universal/v2',
    synthesis: { url: 'https://mine.cognitiveservices.azure.com', path: '/tts/cognitiveservices/v1' },
  })
})

const ID = 'X-ConnectionId=0123456789ABCDEF0123456789ABCDEF'
const TOKEN = 'Authorization=Bearer%20a-short-lived-token'

test.each([
  ['no token', `language=en-US&${ID}`],
  ['the key in the address', `language=en-US&${TOKEN}&${ID}&Ocp-Apim-Subscription-Key=${FAKE_KEY}`],
  ['an unknown parameter', `language=en-US&${TOKEN}&${ID}&color=red`],
  ['a language without a region', `language=en&${TOKEN}&${ID}`],
])('the fake refuses %s', async (_fault, query) => {
  const server = await new FakeAzureSpeech().listen()
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/stt/speech/universal/v2?${query}`)
  socket.on('error', () => {})
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.connections).toBe(0)
  socket.terminate()
})

const REQUEST = 'X-RequestId: 0123456789ABCDEF0123456789ABCDEF\r\n'

test.each([
  ['audio before the session', Buffer.from('\0\x0dPath: audio\r\n')],
  ['a message without headers', '{"context":{}}'],
  ['telemetry', `Path: speech.config\r\n${REQUEST}\r\n{"context":{"system":{},"os":{}}}`],
  ['a context before the configuration', `Path: speech.context\r\n${REQUEST}\r\n{}`],
])('the fake ends a connection for %s', async (_fault, data) => {
  const server = await new FakeAzureSpeech().listen()
  const url = `${server.url.replace('http', 'ws')}/stt/speech/universal/v2?language=en-US&${TOKEN}&${ID}`
  const socket = new WebSocket(url)
  socket.on('open', () => socket.send(data))
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  await until(() => server.sockets.size === 0, 5_000, 'the end')
})
