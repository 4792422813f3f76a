import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { UtteranceQueue } from '../../../../src/service/engines/vendors/soniox/utterance-queue.ts'
import { sonioxInterpreter } from '../../../support/engines/live/fake-interpreters.ts'
import { interpreting, liveInterpreter } from '../../../support/engines/live/interpreter-checks.ts'
import { liveSpeech } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

liveInterpreter('Soniox', sonioxInterpreter)

test('the language, the target, the terms and the voice are requested', async () => {
  const { server, engine: make } = await sonioxInterpreter()
  const engine = make()
  expect(engine.voices.map(({ voiceId }) => voiceId)).toEqual([
    'soniox-en-us-Adrian',
    'soniox-es-es-Adrian',
    'soniox-es-es-Maya',
  ])
  let heard = 0
  const stream = await engine.open(
    {
      ...{ from: 'en-us', to: 'es-es', voiceId: 'soniox-es-es-Maya' },
      terms: ['Dragoman'],
      glossary: [{ source: 'invoice', target: 'factura' }],
    },
    {
      partial() {},
      audio: (_utterance, pcm) => {
        heard += pcm.length
      },
      final() {},
      failed: error => expect.unreachable(error.message),
    },
  )
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(1))
  await until(() => heard > 0, 10_000, 'speech')
  await stream.close()
  await engine.close()
  expect(server.requests[0]).toMatchObject({
    language_hints: ['en'],
    translation: { type: 'one_way', target_language: 'es' },
    context: { terms: ['Dragoman'], translation_terms: [{ source: 'invoice', target: 'factura' }] },
  })
  expect(server.spoken[0]).toMatchObject({ voice: 'Maya', language: 'es', text: 'uno' })
})

test('a translation that comes after the end of its utterance is part of it', async () => {
  const { server, engine: make, refusals } = await sonioxInterpreter()
  server.lateTranslations = true
  const engine = make()
  const { stream, finals } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(2, 600, 1_500))
  await until(() => finals.length === 2, 15_000, 'both words')
  await stream.close()
  await engine.close()
  expect(finals).toMatchObject([
    { utterance: 1, text: 'one', translation: 'uno', language: 'en-us' },
    { utterance: 2, text: 'two', translation: 'dos' },
  ])
  expect(refusals()).toEqual([])
})

test('captions grow in both languages, and a provisional translation is not shown', async () => {
  const { engine: make } = await sonioxInterpreter()
  const engine = make()
  const { stream, partials, finals } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(1))
  await until(() => finals.length === 1, 15_000, 'a word')
  await stream.close()
  await engine.close()
  const shown = partials.map(({ text, translation }) => `${text}|${translation}`)
  expect(Array.from(new Set(shown))).toEqual(['onx|', 'one|', 'one|u', 'one|uno'])
})

test('a voice that fails ends the stream, and the engine is skipped for a while', async () => {
  const { server, engine: make } = await sonioxInterpreter()
  const engine = make()
  server.voiceFaults.push(400)
  const { stream, failed, finals } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(1))
  expect(await failed).toMatchObject({ name: 'EngineError', message: 'soniox: the voice answered 400' })
  expect(finals).toEqual([])
  await stream.close()
  await expect(interpreting(engine)).rejects.toThrow('its voice has failed')
  await engine.close()
})

test('a voice that is unavailable for a moment is asked again', async () => {
  const { server, engine: make, refusals } = await sonioxInterpreter()
  const engine = make()
  server.voiceFaults.push(503)
  const { stream, finals, spokenMs } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(1, 600, 1_500))
  await until(() => finals.length === 1, 15_000, 'a word')
  await stream.close()
  await engine.close()
  // A word of 400 ms with its pause.
  expect(spokenMs()).toBe(440)
  expect(refusals()).toEqual([])
})

test('a long translation is spoken clause by clause, in order, before it is complete', async () => {
  const spoken: string[] = []
  const heard: number[] = []
  const finals: string[] = []
  const queue = new UtteranceQueue({
    sink: {
      partial() {},
      audio: (_utterance, pcm) => void heard.push(pcm.length),
      final: ({ translation }) => void finals.push(translation),
      failed: error => expect.unreachable(error.message),
    },
    speak: async text => {
      spoken.push(text)
      return { rate: 24_000, pieces: Readable.from([new Int16Array(text.length)]) }
    },
    failed: error => expect.unreachable(error.message),
  })
  const utterance = queue.begin()
  for (const token of ['Buenos', ' días', ',', ' señora', ' García', '.', ' Sí', ',', ' la', ' habitación'])
    utterance.translated(token)
  await until(() => heard.length > 0, 5_000, 'speech')
  expect(spoken).toEqual(['Buenos días,', 'señora García.'])
  expect(finals).toEqual([])
  utterance.end()
  await until(() => finals.length > 0, 5_000, 'the end')
  expect(spoken.slice(2)).toEqual(['Sí, la habitación'])
  expect(heard).toEqual([12, 14, 17])
  expect(finals).toEqual(['Buenos días, señora García. Sí, la habitación'])
})
