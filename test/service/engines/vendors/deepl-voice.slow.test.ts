import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { deeplInterpreter } from '../../../support/engines/live/fake-interpreters.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { interpreting, liveInterpreter } from '../../../support/engines/live/interpreter-checks.ts'
import { liveSpeech } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

liveInterpreter('DeepL', deeplInterpreter)

test('languages, voice, formality and glossary are in the request of the session', async () => {
  const { server, engine: make } = await deeplInterpreter()
  const engine = make({ languages: ['en-us', 'pt-br'], formality: 'formal', glossaryId: 'g-1' })
  expect(engine.voices.map(({ voiceId }) => voiceId)).toContain('deepl-pt-br-male')
  const sink = { partial() {}, audio() {}, final() {}, failed() {} }
  const stream = await engine.open({ from: 'en-us', to: 'pt-br', voiceId: 'deepl-pt-br-male' }, sink)
  await stream.close()
  await engine.close()
  expect(server.requests).toEqual([
    {
      source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
      source_language: 'en',
      source_language_mode: 'fixed',
      target_languages: ['pt-BR'],
      target_media_languages: ['pt-BR'],
      target_media_content_type: 'audio/pcm;encoding=s16le;rate=24000',
      target_media_voice: 'male',
      message_format: 'json',
      formality: 'formal',
      glossary_id: 'g-1',
    },
  ])
})

test('the glossary of the vocabulary is made once and used', async () => {
  const { server, engine: make } = await deeplInterpreter()
  const engine = make()
  const sink = { partial() {}, audio() {}, final() {}, failed() {} }
  const glossary = [{ source: 'invoice', target: 'factura' }]
  for (let count = 0; count < 2; count++)
    await (await engine.open({ from: 'en-us', to: 'es-es', glossary }, sink)).close()
  await engine.close()
  expect(server.glossaries).toMatchObject([
    { source_lang: 'EN', target_lang: 'ES', entries: 'invoice\tfactura' },
  ])
  expect(server.requests).toMatchObject(Array(2).fill({ glossary_id: 'g-0' }))
  expect(server.refusals).toEqual([])
})

test('a broken connection goes on with its session, and a new token each time', async () => {
  const { server, engine: make, refusals } = await deeplInterpreter()
  const engine = make()
  const { stream, translations } = await interpreting(engine)
  const speech = toneSpeech(3, 600, 1_200)
  for (const [from, to] of [
    [0, 2_250],
    [2_250, 4_050],
  ] as const) {
    await liveSpeech(pcm => stream.write(pcm), speech.subarray(16 * from, 16 * to))
    server.cut()
  }
  await liveSpeech(pcm => stream.write(pcm), speech.subarray(16 * 4_050))
  await until(() => translations().length >= 3, 15_000, 'three words')
  await stream.close()
  await engine.close()
  expect(translations()).toEqual(['uno', 'dos', 'tres'])
  expect(server.requests).toHaveLength(1)
  expect(server.connections).toBe(3)
  expect(refusals()).toEqual([])
})

test('after an error another session starts, and no word is lost or said twice', async () => {
  const { server, engine: make, refusals, spokenMs } = await deeplInterpreter()
  const engine = make()
  const { stream, translations, words, spokenMs: heardMs } = await interpreting(engine)
  const speech = toneSpeech(3, 600, 1_200)
  await liveSpeech(pcm => stream.write(pcm), speech.subarray(0, 16 * 2_100))
  server.faults.push(503)
  await liveSpeech(pcm => stream.write(pcm), speech.subarray(16 * 2_100))
  await until(() => translations().length >= 3, 15_000, 'three words')
  await stream.close()
  await engine.close()
  expect(words()).toEqual(['one', 'two', 'three'])
  expect(translations()).toEqual(['uno', 'dos', 'tres'])
  // Without the silence after each utterance.
  expect(heardMs()).toBeGreaterThanOrEqual(3 * spokenMs)
  expect(server.requests).toHaveLength(2)
  expect(refusals()).toEqual([])
})

test('tentative text is shown until it is concluded, and only what is concluded is translated', async () => {
  const { engine: make } = await deeplInterpreter()
  const engine = make()
  const { stream, partials, finals } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(1, 600, 1_500))
  await until(() => finals.length === 1, 15_000, 'a word')
  await stream.close()
  await engine.close()
  const shown = partials.map(({ text, translation }) => `${text}|${translation}`)
  expect(shown).toEqual(['on|', 'one|', 'one|uno'])
  expect(finals).toMatchObject([{ text: 'one', translation: 'uno' }])
})

test('a used-up quota is final, and an error of a request has neither key nor token', async () => {
  const { server, engine: make } = await deeplInterpreter()
  const engine = make()
  server.httpStatuses.push(456)
  const error = await interpreting(engine).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ message: 'deepl: answered 456' })
  expect(JSON.stringify([error, (error as Error).cause])).not.toContain(FAKE_KEY)
  await expect(interpreting(engine)).rejects.toThrow('skipped temporarily')
  await engine.close()
})

const SETTINGS = {
  source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
  source_language: 'en',
  target_languages: ['es'],
  target_media_languages: ['es'],
  target_media_content_type: 'audio/pcm;encoding=s16le;rate=24000',
}

async function request(url: string, body: object, authorization = `DeepL-Auth-Key ${FAKE_KEY}`) {
  const response = await fetch(`${url}/v3/voice/realtime`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    reply: (await response.json()) as { streaming_url: string; token: string },
  }
}

const connected = async (url: string, token: string) => {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/v3/voice/realtime/connect?token=${encodeURIComponent(token)}`,
  )
  socket.on('error', () => {})
  await new Promise(resolve => {
    socket.once('open', resolve)
    socket.once('close', resolve)
  })
  return socket
}

test.each<[string, object, string?]>([
  ['a bearer key', SETTINGS, `Bearer ${FAKE_KEY}`],
  ['an unknown field', { ...SETTINGS, colour: 'red' }],
  ['a source with a region', { ...SETTINGS, source_language: 'en-US' }],
  ['an unknown target', { ...SETTINGS, target_languages: ['es-ES'] }],
  ['two spoken languages', { ...SETTINGS, target_media_languages: ['es', 'fr'] }],
  ['another rate', { ...SETTINGS, source_media_content_type: 'audio/pcm;encoding=s16le;rate=24000' }],
])('the fake refuses a session with %s', async (_fault, body, authorization) => {
  const { server } = await deeplInterpreter()
  expect((await request(server.url, body, authorization)).status).toBeGreaterThanOrEqual(400)
  expect(server.refusals).toHaveLength(1)
})

test('the fake ends the session of a token that is used twice, or outdated', async () => {
  const { server } = await deeplInterpreter()
  const { reply } = await request(server.url, SETTINGS)
  const first = await connected(server.url, reply.token)
  await connected(server.url, reply.token)
  expect(server.refusals).toEqual(['a token twice'])
  await until(() => first.readyState === WebSocket.CLOSED, 5_000, 'the end')
  const { reply: other } = await request(server.url, SETTINGS)
  const next = () =>
    fetch(`${server.url}/v3/voice/realtime?token=${encodeURIComponent(other.token)}`, {
      headers: { authorization: `DeepL-Auth-Key ${FAKE_KEY}` },
    })
  expect((await next()).status).toBe(200)
  expect((await next()).status).toBe(400)
  expect(server.refusals).toEqual(['a token twice', 'an outdated token'])
})

const chunk = (ms: number) => ({
  source_media_chunk: { data: Buffer.alloc(32 * ms).toString('base64') },
})

test.each<[string, (object | Buffer)[], string]>([
  ['a chunk of over a second', [chunk(1_100)], 'a chunk of over a second'],
  [
    'audio faster than twice real time',
    Array.from({ length: 8 }, () => chunk(200)),
    'audio faster than twice real time',
  ],
  ['half a sample', [{ source_media_chunk: { data: Buffer.alloc(3).toString('base64') } }], 'half a sample'],
  ['binary messages', [Buffer.alloc(320)], 'a binary message'],
  ['an unknown message', [{ stop: {} }], 'the unknown field stop'],
  ['audio after the end', [{ end_of_source_media: {} }, chunk(100)], 'a message after the end'],
])('the fake ends a connection for %s', async (_fault, messages, reason) => {
  const { server } = await deeplInterpreter()
  const { reply } = await request(server.url, SETTINGS)
  const socket = await connected(server.url, reply.token)
  for (const message of messages) socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message))
  await until(() => server.refusals.length > 0, 5_000, 'a refusal')
  expect(server.refusals[0]).toBe(reason)
  await until(() => server.sockets.size === 0, 5_000, 'the end')
})
