import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { geminiInterpreter } from '../../../support/engines/live/fake-interpreters.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { interpreting, liveInterpreter } from '../../../support/engines/live/interpreter-checks.ts'
import { liveSpeech } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

liveInterpreter('Gemini', geminiInterpreter)

test('the target and the transcripts are in the setup, and the heard language in the result', async () => {
  const { server, engine: make } = await geminiInterpreter()
  const engine = make()
  const { stream, finals } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(1, 600, 1_500))
  await until(() => finals.length === 1, 15_000, 'a word')
  await stream.close()
  await engine.close()
  expect(server.setups[0]).toMatchObject({
    generationConfig: { translationConfig: { targetLanguageCode: 'es', echoTargetLanguage: false } },
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    sessionResumption: {},
  })
  expect(finals).toMatchObject([{ text: 'one', translation: 'uno', language: 'en-us' }])
})

test('a connection that is announced to end is replaced in a pause, with the state of the session', async () => {
  const { server, engine: make, refusals } = await geminiInterpreter()
  server.goAwayMs = 1_500
  server.leftMs = 6_000
  const engine = make()
  const { stream, translations } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(3, 600, 1_300))
  await until(() => translations().length === 3, 15_000, 'three words')
  await stream.close()
  await engine.close()
  expect(translations()).toEqual(['uno', 'dos', 'tres'])
  expect(server.setups.length).toBeGreaterThan(1)
  expect(server.setups[1]).toMatchObject({ sessionResumption: { handle: expect.stringMatching(/^handle-/) } })
  expect(refusals()).toEqual([])
})

test('a handle that the service has forgotten leads to a new session', async () => {
  const { server, engine: make } = await geminiInterpreter()
  const engine = make()
  const { stream, translations } = await interpreting(engine)
  const speech = toneSpeech(2, 600, 1_500)
  await liveSpeech(pcm => stream.write(pcm), speech.subarray(0, 16 * 1_800))
  server.forget()
  server.cut()
  await liveSpeech(pcm => stream.write(pcm), speech.subarray(16 * 1_800))
  await until(() => translations().length === 2, 15_000, 'both words')
  await stream.close()
  await engine.close()
  expect(translations()).toEqual(['uno', 'dos'])
  expect(
    server.setups.map(({ sessionResumption }) => Object.keys(sessionResumption as object).length),
  ).toEqual([0, 1, 0])
})

test('an unknown model is final', async () => {
  const { engine: make } = await geminiInterpreter()
  const engine = make({ model: 'gemini-9' })
  const error = await interpreting(engine).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ message: 'gemini: closed the connection (1008)' })
  await expect(interpreting(engine)).rejects.toThrow('skipped temporarily')
  await engine.close()
})

const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'

test.each<[string, string, Record<string, string>]>([
  ['no key', PATH, {}],
  ['the key in the address', `${PATH}?key=${FAKE_KEY}`, { 'x-goog-api-key': FAKE_KEY }],
  ['a bearer key', PATH, { authorization: `Bearer ${FAKE_KEY}` }],
  ['another path', '/ws', { 'x-goog-api-key': FAKE_KEY }],
])('the fake refuses %s', async (_fault, path, headers) => {
  const { server } = await geminiInterpreter()
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers })
  socket.on('error', () => {})
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.connections).toBe(0)
  socket.terminate()
})

const setup = (changes: object = {}) => ({
  setup: {
    model: 'models/gemini-3.5-live-translate-preview',
    generationConfig: {
      responseModalities: ['AUDIO'],
      translationConfig: { targetLanguageCode: 'es', echoTargetLanguage: false },
    },
    ...changes,
  },
})
const audio = (bytes: number, mimeType = 'audio/pcm;rate=16000') => ({
  realtimeInput: { audio: { mimeType, data: Buffer.alloc(bytes).toString('base64') } },
})

test.each<[string, (object | Buffer)[], string]>([
  ['audio before the setup', [audio(320)], 'a message before the setup'],
  ['instructions', [setup({ systemInstruction: {} })], 'the unknown field systemInstruction'],
  ['an unknown handle', [setup({ sessionResumption: { handle: 'x' } })], 'an unknown handle'],
  ['another setup', [setup(), setup()], 'a second setup'],
  ['another rate', [setup(), audio(320, 'audio/pcm;rate=24000')], 'another format'],
  ['half a sample', [setup(), audio(3)], 'half a sample'],
  ['audio faster than spoken', [setup(), audio(96_000)], 'audio faster than spoken'],
  ['text', [setup(), { clientContent: {} }], 'the unknown field clientContent'],
  ['binary messages', [setup(), Buffer.alloc(320)], 'a binary message'],
])('the fake ends a connection for %s', async (_fault, messages, reason) => {
  const { server } = await geminiInterpreter()
  const socket = new WebSocket(server.url.replace('http', 'ws') + PATH, {
    headers: { 'x-goog-api-key': FAKE_KEY },
  })
  await new Promise(resolve => socket.once('open', resolve))
  for (const message of messages) socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message))
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.refusals).toEqual([reason])
  await until(() => server.sockets.size === 0, 5_000, 'the end')
})
