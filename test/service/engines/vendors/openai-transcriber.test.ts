import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { type Clock, systemClock } from '../../../../src/common/clock.ts'
import type { HearingOptions, Transcript } from '../../../../src/service/engines/engine.ts'
import { OpenAiTranscriber } from '../../../../src/service/engines/vendors/openai/openai.ts'
import { speechToTextChecks } from '../../../support/conformance/speech-to-text.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { type Dialect, FakeOpenAi } from '../../../support/engines/fake-openai.ts'
import { KEY, SERVER, survivesFaults } from '../../../support/engines/http-faults.ts'
import { sine } from '../../../support/transcode/tone.ts'

const OPTIONS = {
  ...SERVER,
  model: 'a-model',
  languages: ['en-us', 'es-es'],
  format: 'verbose_json',
  streaming: false,
  pauseMs: 300,
} as const

const at = (url: string, changes = {}, clock: Clock = systemClock) =>
  new OpenAiTranscriber({ ...OPTIONS, url, ...changes }, clock)

/** 100 ms of noise, a word of 1.4 s, 500 ms, another, 500 ms. */
const pcm = new Int16Array(16 * 3_900)
pcm.set(sine(400, 1_400), 16 * 100)
pcm.set(sine(500, 1_400), 16 * 2_000)

/** Returns an engine's results for `pcm`, partials and finals; rejects when the stream fails. */
async function heard(engine: OpenAiTranscriber, audio = pcm, count = 2, hints: HearingOptions = {}) {
  const partials: Transcript[] = []
  const finals: Transcript[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const sink = {
    partial: (transcript: Transcript) => void partials.push(transcript),
    final: (transcript: Transcript) => {
      finals.push(transcript)
      if (finals.length === count) resolve()
    },
    failed: reject,
  }
  const stream = await engine.open('en-us', sink, hints)
  stream.write(audio)
  await promise.finally(() => stream.close())
  return { partials, finals, stream }
}

conforms(
  'An OpenAI-compatible server understands speech',
  speechToTextChecks,
  async () => {
    const { url } = await new FakeOpenAi().listen()
    // The fault tests cover timeouts; here the machine can be busy.
    return { engine: at(url, { timeoutMs: 10_000 }), pcm, words: ['one', 'two'], patienceMs: 15_000 }
  },
  ({ engine }) => engine.close(),
)

describe('faults', () => {
  survivesFaults(
    () => new FakeOpenAi(),
    async (url, clock) => {
      const engine = at(url, {}, clock)
      await heard(engine, pcm.subarray(0, 16 * 2_000), 1).finally(() => engine.close())
    },
    'one',
  )
})

test('sends the documented request', async () => {
  const server = await new FakeOpenAi().listen()
  await heard(at(server.url), pcm, 2, { about: 'Dashwood' })
  const [{ headers, body, path }] = server.seen as [(typeof server.seen)[number]]
  const form = body as FormData
  expect(path).toBe('/v1/audio/transcriptions')
  expect(headers.authorization).toBe(`Bearer ${KEY}`)
  expect(form.get('model')).toBe('a-model')
  expect(form.get('language')).toBe('en')
  expect(form.get('prompt')).toBe('Dashwood')
  expect(form.get('response_format')).toBe('verbose_json')
  expect((form.get('file') as File).name).toMatch(/\.wav$/)
})

const promptOf = (seen: { readonly body: unknown } | undefined) =>
  seen && (seen.body as FormData).get('prompt')
const HINTS = { terms: ['Dragoman', 'Ana Núñez'], about: 'a hotel' }

test('tells a model of Whisper terms in its prompt, as far as it is read', async () => {
  const server = await new FakeOpenAi().listen()
  const long = { terms: [...HINTS.terms, 'x'.repeat(600)] }
  await heard(at(server.url), pcm, 2, HINTS)
  await heard(at(server.url), pcm, 2, long)
  expect(promptOf(server.seen[0])).toBe('a hotel Dragoman, Ana Núñez')
  expect(promptOf(server.seen.at(-1))).toBe('Dragoman, Ana Núñez')
})

test('sends lists of languages and keywords to the models that have them', async () => {
  const server = await new FakeOpenAi().listen()
  const { finals } = await heard(at(server.url, { model: 'gpt-transcribe', format: 'json' }), pcm, 2, HINTS)
  const form = server.seen[0]!.body as FormData
  expect(finals.map(({ text }) => text)).toEqual(['one', 'two'])
  expect(form.getAll('languages[]')).toEqual(['en'])
  expect(form.getAll('keywords[]')).toEqual(HINTS.terms)
  expect(form.get('prompt')).toBe('a hotel')
  expect(form.has('language')).toBe(false)
})

test.each<Dialect>(['openai', 'speaches', 'chat'])('reads what is streamed: %s', async dialect => {
  const server = await new FakeOpenAi().listen()
  server.dialect = dialect
  const { partials, finals } = await heard(at(server.url, { streaming: true }))
  expect(finals.map(({ text, utterance }) => [utterance, text])).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
  if (dialect !== 'speaches') expect(partials[0]).toMatchObject({ utterance: 1 })
})

test('accepts servers without streaming, and with json only', async () => {
  const server = await new FakeOpenAi().listen()
  const { finals } = await heard(at(server.url, { streaming: true, format: 'json' }))
  expect(finals.map(({ text }) => text)).toEqual(['one', 'two'])
})

test('drops segments that are noise', async () => {
  const server = await new FakeOpenAi().listen()
  server.segments = [
    { text: ' Hello.', no_speech_prob: 0.1, avg_logprob: -0.3 },
    { text: ' Thank you for watching.', no_speech_prob: 0.9, avg_logprob: -1.4 },
    { text: ' so so so so so', no_speech_prob: 0.1, compression_ratio: 5 },
    { text: ' Sure of it.', no_speech_prob: 0.9, avg_logprob: -0.2 },
  ]
  const { finals } = await heard(at(server.url))
  expect(finals[0]?.text).toBe('Hello. Sure of it.')
})

test('emits nothing after the end of a session, and aborts its request', async () => {
  const server = await new FakeOpenAi().listen()
  server.fault = 'slow'
  // No deadline ends the request on this clock.
  const engine = at(server.url, {}, new FakeClock())
  const stream = await engine.open('en-us', {
    partial: () => expect.unreachable(),
    final: () => expect.unreachable(),
    failed: () => expect.unreachable(),
  })
  stream.write(pcm)
  await expect.poll(() => server.seen.length).toBe(1)
  await stream.close()
})

test('skips a server after three failures, so that the next engine can take over', async () => {
  const server = await new FakeOpenAi().listen()
  server.fault = 'status 500'
  const engine = at(server.url)
  for (let n = 0; n < 3; n++) await expect(heard(engine)).rejects.toThrow('answered 500 (server_error)')
  await expect(heard(engine)).rejects.toThrow('skipped temporarily')
  // Each with another attempt.
  expect(server.seen.length).toBe(6)
})

test.each([
  [['response_format=verbose_json'], { response_format: 'json', temperature: '0', language: 'en' }],
  [['response_format=verbose_json', 'temperature'], { response_format: 'json', language: 'en' }],
  [['language', 'response_format=verbose_json', 'temperature'], { response_format: 'json' }],
])('retries a model that rejects %s in another form, and remembers it', async (rejects, fields) => {
  const server = await new FakeOpenAi().listen()
  server.rejects = rejects
  const { finals } = await heard(at(server.url))
  expect(finals.map(({ text }) => text)).toEqual(['one', 'two'])
  expect(server.seen.length).toBeLessThanOrEqual(2 * (rejects.length + 1))
  const {
    file: _,
    model: _model,
    ...sent
  } = Object.fromEntries((server.seen.at(-1)!.body as FormData).entries())
  expect(sent).toEqual(fields)
})
