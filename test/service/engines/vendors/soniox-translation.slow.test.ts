import { expect, test } from 'vitest'
import { sonioxInterpreter } from '../../../support/engines/live/fake-interpreters.ts'
import { interpreting, liveInterpreter } from '../../../support/engines/live/interpreter-checks.ts'
import { liveSpeech } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

liveInterpreter('Soniox', sonioxInterpreter)

test('the language, the target, the terms and the voice are requested', async () => {
  const { server, voice, engine: make } = await sonioxInterpreter()
  const engine = make({ terms: ['Dragoman'] })
  expect(engine.voices.map(({ voiceId }) => voiceId)).toEqual([
    'soniox-en-us-Adrian',
    'soniox-es-es-Adrian',
    'soniox-es-es-Maya',
  ])
  let heard = 0
  const stream = await engine.open(
    {
      ...{ from: 'en-us', to: 'es-es', voiceId: 'soniox-es-es-Maya' },
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
  expect(voice.streams[0]).toMatchObject({ voice: 'Maya', language: 'es' })
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
  const { voice, engine: make } = await sonioxInterpreter()
  const engine = make()
  voice.faults.push({ code: 400, after: 0 })
  const { stream, failed, finals } = await interpreting(engine)
  await liveSpeech(pcm => stream.write(pcm), toneSpeech(1))
  expect(await failed).toMatchObject({ name: 'EngineError', message: 'soniox: the voice answered 400' })
  expect(finals).toEqual([])
  await stream.close()
  await expect(interpreting(engine)).rejects.toThrow('its voice has failed')
  await engine.close()
})

test('a connection of the voice that is cut is replaced, and nothing is said twice', async () => {
  const { voice, engine: make, refusals } = await sonioxInterpreter()
  const engine = make()
  const { stream, translations, spokenMs } = await interpreting(engine)
  const speech = toneSpeech(2, 600, 1_500)
  await liveSpeech(pcm => stream.write(pcm), speech.subarray(0, 16 * 2_000))
  voice.cut()
  await liveSpeech(pcm => stream.write(pcm), speech.subarray(16 * 2_000))
  await until(() => translations().length === 2, 15_000, 'both words')
  await stream.close()
  await engine.close()
  // A word of 400 ms with its pause, each.
  expect(spokenMs()).toBe(2 * 440)
  expect(refusals()).toEqual([])
})
