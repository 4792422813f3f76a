import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../../../../src/common/clock.ts'
import { systemWallClock } from '../../../../../../src/common/wall-clock.ts'
import type {
  InterpretationSink,
  InterpretedText,
  Transcript,
} from '../../../../../../src/service/server/engines/engine.ts'
import { OpenAiLiveTranscriber } from '../../../../../../src/service/server/engines/hosted/openai-live.ts'
import { OpenAiSpeechTranslator } from '../../../../../../src/service/server/engines/hosted/openai-translation.ts'
import { speechToTextChecks } from '../../../../../conformance/speech-to-text.ts'
import { speechTranslatorChecks } from '../../../../../conformance/speech-translator.ts'
import { conforms } from '../../../../../conformance/suite.ts'
import { FAKE_KEY } from '../../../../../harness/engines/live/fake-live-server.ts'
import { FakeOpenAiRealtime } from '../../../../../harness/engines/live/fake-openai-realtime.ts'
import { TONE_WORDS } from '../../../../../harness/engines/live/tone-ears.ts'
import { toneSpeech } from '../../../../../harness/engines/live/tone-speech.ts'
import { quiet } from '../../../../../harness/transcode/tone.ts'

const LIVE = { timeoutMs: 3_000, cooldownMs: 60_000, quietMs: 20_000, stallMs: 400, apiKey: FAKE_KEY }
const LANGUAGES = { languages: ['en-us', 'es-es'] }

const interpreter = (url: string, changes = {}) =>
  new OpenAiSpeechTranslator(
    {
      ...LIVE,
      ...LANGUAGES,
      url,
      model: 'gpt-realtime-translate',
      transcriptionModel: 'gpt-realtime-whisper',
      ...changes,
    },
    systemClock,
    systemWallClock,
  )
const transcriber = (url: string, changes = {}) =>
  new OpenAiLiveTranscriber(
    { ...LIVE, ...LANGUAGES, url, model: 'gpt-live-transcribe', delay: 'low', pauseMs: 300, ...changes },
    systemClock,
    systemWallClock,
  )

conforms(
  'OpenAI translates from speech to speech',
  speechTranslatorChecks,
  async () => {
    const server = await new FakeOpenAiRealtime().listen()
    return {
      engine: interpreter(server.url),
      from: 'en-us',
      to: 'es-es',
      pcm: toneSpeech(),
      said: TONE_WORDS.slice(0, 2),
      patienceMs: 15_000,
      server,
    }
  },
  async ({ engine, server }: { engine: { close(): Promise<void> }; server?: FakeOpenAiRealtime }) => {
    await engine.close()
    expect(server?.refusals).toEqual([])
  },
)

conforms(
  'OpenAI transcribes live',
  speechToTextChecks,
  async () => {
    const server = await new FakeOpenAiRealtime().listen()
    return {
      engine: transcriber(server.url),
      pcm: toneSpeech(),
      words: ['one', 'two'],
      patienceMs: 15_000,
      server,
    }
  },
  async ({ engine, server }: { engine: { close(): Promise<void> }; server?: FakeOpenAiRealtime }) => {
    await engine.close()
    expect(server?.refusals).toEqual([])
  },
)

/** Collects texts; `failed` rejects. */
function collected() {
  const finals: (Transcript | InterpretedText)[] = []
  const failure = Promise.withResolvers<Error>()
  let spoken = 0
  const sink = {
    partial: () => {},
    audio: (_utterance: number, pcm: Int16Array) => {
      spoken += pcm.length
    },
    final: (result: Transcript | InterpretedText) => void finals.push(result),
    failed: (error: Error) => failure.resolve(error),
  } satisfies InterpretationSink
  const words = () => finals.map(({ text }) => text.toLowerCase()).filter(text => text !== '')
  return { sink, finals, failed: failure.promise, words, spoken: () => spoken }
}

/** Writes `pcm` as a caller does, in real time. */
async function live(write: (pcm: Int16Array) => void, pcm: Int16Array): Promise<void> {
  const begin = performance.now()
  for (let at = 0; at < pcm.length; at += 320) {
    const wait = begin + at / 16 - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    write(pcm.subarray(at, at + 320))
  }
}

async function until(met: () => boolean, what: string, ms = 15_000): Promise<void> {
  const end = performance.now() + ms
  while (!met()) {
    if (performance.now() > end) throw new Error(`no ${what} within ${ms} ms`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

describe('connections', () => {
  test('a cut one is replaced, and the words that had no result are recognized', async () => {
    const server = await new FakeOpenAiRealtime().listen()
    const engine = transcriber(server.url)
    const { sink, words } = collected()
    const stream = await engine.open('en-us', sink)
    const speech = toneSpeech(3, 600, 900)
    await live(pcm => stream.write(pcm), speech.subarray(0, 16 * 2_000))
    server.cut()
    await live(pcm => stream.write(pcm), speech.subarray(16 * 2_000))
    await until(() => words().length === 3, 'three words')
    await stream.close()
    expect(words()).toEqual(['one', 'two', 'three'])
    expect(server.connections).toBe(2)
    expect(server.refusals).toEqual([])
  })

  test('an interpretation goes on after a cut, and says each word once', async () => {
    const server = await new FakeOpenAiRealtime().listen()
    const engine = interpreter(server.url)
    const { sink, words, finals } = collected()
    const stream = await engine.open({ from: 'en-us', to: 'es-es' }, sink)
    const speech = toneSpeech(3, 600, 1_400)
    // In the middle of the second word.
    await live(pcm => stream.write(pcm), speech.subarray(0, 16 * 2_500))
    server.cut()
    await live(pcm => stream.write(pcm), speech.subarray(16 * 2_500))
    await until(() => words().length === 3, 'three words')
    await stream.close()
    expect(words()).toEqual(['one', 'two', 'three'])
    const places = finals.flatMap(({ startMs, endMs }) => [startMs, endMs])
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(server.refusals).toEqual([])
  })

  test('one is replaced in a pause before it expires', async () => {
    const server = await new FakeOpenAiRealtime().listen()
    server.expiresIn = 3
    const engine = transcriber(server.url)
    const { sink, words } = collected()
    const stream = await engine.open('en-us', sink)
    await live(pcm => stream.write(pcm), toneSpeech(3, 600, 1_200))
    await until(() => words().length === 3, 'three words')
    await stream.close()
    expect(words()).toEqual(['one', 'two', 'three'])
    expect(server.connections).toBeGreaterThan(1)
    expect(server.refusals).toEqual([])
  })

  test('none is held while nobody speaks, and the first word after that is complete', async () => {
    const server = await new FakeOpenAiRealtime().listen()
    const engine = transcriber(server.url, { quietMs: 600 })
    const { sink, words } = collected()
    const stream = await engine.open('en-us', sink)
    await live(pcm => stream.write(pcm), quiet(1_200))
    expect(server.sockets.size).toBe(0)
    await live(pcm => stream.write(pcm), toneSpeech(1, 600, 900))
    await until(() => words().length === 1, 'a word')
    await stream.close()
    expect(words()).toEqual(['one'])
    expect(server.connections).toBe(2)
  })

  test('a wrong key is final, and is not in the error', async () => {
    const server = await new FakeOpenAiRealtime().listen()
    const engine = transcriber(server.url, { apiKey: 'sk-wrong' })
    const error = await engine.open('en-us', collected().sink).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EngineError', message: 'openai-live: answered 401' })
    expect(String((error as Error).cause)).not.toContain('sk-wrong')
    // The engine rests, so that another one serves.
    await expect(engine.open('en-us', collected().sink)).rejects.toThrow('skipped temporarily')
  })

  test('a stream fails when its server does not return', async () => {
    const server = await new FakeOpenAiRealtime().listen()
    const engine = transcriber(server.url)
    const { sink, failed } = collected()
    const stream = await engine.open('en-us', sink)
    server.statuses.push(503, 503, 503, 503, 503)
    server.cut()
    void live(pcm => stream.write(pcm), toneSpeech(3))
    expect((await failed).message).toBe('openai-live: answered 503')
    await stream.close()
  })
})
