import { expect, test } from 'vitest'
import type { SpeechToText, Transcript } from '../../../../src/service/engines/engine.ts'
import { speechToTextChecks } from '../../conformance/speech-to-text.ts'
import { conforms } from '../../conformance/suite.ts'
import { until } from '../../until.ts'
import { FAKE_KEY, type FakeLiveServer } from './fake-live-server.ts'
import { toneSpeech } from './tone-speech.ts'

/** Settings of an engine over WebSocket, for tests. */
export const LIVE = {
  apiKey: FAKE_KEY,
  languages: ['en-us', 'es-es'],
}

const PATIENCE_MS = 15_000

/** Writes `pcm` as a caller does, in real time. */
export async function liveSpeech(write: (pcm: Int16Array) => void, pcm: Int16Array): Promise<void> {
  const begin = performance.now()
  for (let at = 0; at < pcm.length; at += 320) {
    const wait = begin + at / 16 - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    write(pcm.subarray(at, at + 320))
  }
}

/** A stream in English with the words that it recognized, without retracted ones. */
export async function recognizing(engine: SpeechToText) {
  const finals: Transcript[] = []
  const failure = Promise.withResolvers<Error>()
  const stream = await engine.open('en-us', {
    partial() {},
    final: transcript => void finals.push(transcript),
    failed: error => failure.resolve(error),
  })
  const words = () => finals.map(({ text }) => text.toLowerCase()).filter(text => text !== '')
  return { stream, finals, words, failed: failure.promise }
}

/**
 * Declares the tests that every recognizer over WebSocket passes: conformance, a connection that is cut in the middle of
 * a word, a wrong key, a server that is unavailable. `make` creates the engine at the fake, with other settings if given.
 */
export function liveRecognizer<S extends FakeLiveServer>(
  name: string,
  listen: () => Promise<S>,
  make: (
    url: string,
    changes?: { apiKey?: string; quietMs?: number },
  ) => SpeechToText | Promise<SpeechToText>,
  { unavailable = 'answered 503' } = {},
): void {
  conforms(
    `${name}: conformance`,
    speechToTextChecks,
    async () => {
      const server = await listen()
      const words = ['one', 'two']
      return { engine: await make(server.url), pcm: toneSpeech(), words, patienceMs: PATIENCE_MS, server }
    },
    async ({ engine, ...rest }) => {
      await engine.close()
      expect((rest as { server?: S }).server?.refusals).toEqual([])
    },
  )

  test(`${name}: a connection that is cut in the middle of a word loses none`, async () => {
    const server = await listen()
    const engine = await make(server.url)
    const { stream, words, finals } = await recognizing(engine)
    const speech = toneSpeech(3, 600, 900)
    await liveSpeech(pcm => stream.write(pcm), speech.subarray(0, 16 * 2_000))
    server.statuses.push(503)
    server.cut()
    await liveSpeech(pcm => stream.write(pcm), speech.subarray(16 * 2_000))
    await until(() => words().length >= 3, PATIENCE_MS, 'three words')
    await stream.close()
    expect(words()).toEqual(['one', 'two', 'three'])
    expect(finals.map(({ utterance }) => utterance)).toEqual(finals.map((_, n) => n + 1))
    expect(server.connections).toBe(2)
    expect(server.refusals).toEqual([])
    await engine.close()
  })

  test(`${name}: a wrong key is final, and not in the error`, async () => {
    const server = await listen()
    const engine = await make(server.url, { apiKey: 'sk-wrong' })
    const error = await recognizing(engine).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EngineError', message: `${engine.name}: answered 401` })
    expect(String((error as Error).cause)).not.toContain('sk-wrong')
    await expect(recognizing(engine)).rejects.toThrow('skipped temporarily')
    await engine.close()
  })

  test(`${name}: a stream fails when its server does not return`, async () => {
    const server = await listen()
    const engine = await make(server.url)
    const { stream, failed } = await recognizing(engine)
    server.statuses.push(503, 429, 503, 503, 503)
    server.cut()
    void liveSpeech(pcm => stream.write(pcm), toneSpeech(3))
    expect((await failed).message).toBe(`${engine.name}: ${unavailable}`)
    await stream.close()
    await engine.close()
  })

  test(`${name}: no connection is held while no one speaks`, async () => {
    const server = await listen()
    const engine = await make(server.url, { quietMs: 600 })
    const { stream, words } = await recognizing(engine)
    await liveSpeech(pcm => stream.write(pcm), new Int16Array(16 * 1_400))
    expect(server.sockets.size).toBe(0)
    await liveSpeech(pcm => stream.write(pcm), toneSpeech(1, 600, 900))
    await until(() => words().length === 1, PATIENCE_MS, 'a word')
    await stream.close()
    expect(words()).toEqual(['one'])
    await engine.close()
  })
}
