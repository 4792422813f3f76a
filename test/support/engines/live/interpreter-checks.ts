import { expect, test } from 'vitest'
import type {
  InterpretationSink,
  InterpretedText,
  SpeechTranslator,
} from '../../../../src/service/engines/engine.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { speechTranslatorChecks } from '../../conformance/speech-translator.ts'
import { conforms } from '../../conformance/suite.ts'
import { until } from '../../until.ts'
import type { FakeInterpreter } from './fake-interpreters.ts'
import { liveSpeech } from './live-checks.ts'
import { TONE_WORDS } from './tone-ears.ts'
import { toneSpeech } from './tone-speech.ts'

const PATIENCE_MS = 15_000

/** A stream from English into Spanish, with its results. */
export async function interpreting(engine: SpeechTranslator) {
  const finals: InterpretedText[] = []
  const partials: InterpretedText[] = []
  const audio = new Map<number, { pcm: Int16Array; rate: number }[]>()
  const failure = Promise.withResolvers<Error>()
  const sink: InterpretationSink = {
    partial: result => void partials.push(result),
    audio: (utterance, pcm, rate) => {
      const pieces = audio.get(utterance) ?? []
      audio.set(utterance, pieces)
      pieces.push({ pcm, rate })
    },
    final: result => void finals.push(result),
    failed: error => failure.resolve(error),
  }
  const stream = await engine.open({ from: 'en-us', to: 'es-es' }, sink)
  const split = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? []
  return {
    stream,
    finals,
    partials,
    failed: failure.promise,
    /** Words of all final results. */
    words: () => finals.flatMap(({ text }) => split(text)),
    translations: () => finals.flatMap(({ translation }) => split(translation)),
    /** Length of the speech of all utterances (ms). */
    spokenMs: () =>
      Array.from(audio.values())
        .flat()
        .reduce((sum, { pcm, rate }) => sum + (pcm.length * 1_000) / rate, 0),
  }
}

/**
 * Declares the tests that every speech translator over WebSocket passes: conformance, a connection that is cut in the
 * middle of a sentence, a wrong key, a service that is unavailable.
 */
export function liveInterpreter(name: string, listen: () => Promise<FakeInterpreter>): void {
  conforms(
    `${name}: conformance`,
    speechTranslatorChecks,
    async () => {
      const fake = await listen()
      return {
        engine: fake.engine(),
        from: 'en-us',
        to: 'es-es',
        pcm: toneSpeech(),
        said: TONE_WORDS.slice(0, 2),
        patienceMs: PATIENCE_MS,
        fake,
      }
    },
    async ({ engine, ...rest }) => {
      await engine.close()
      expect((rest as { fake?: FakeInterpreter }).fake?.refusals()).toEqual([])
    },
  )

  // Each word is an utterance, or all of them are one.
  test.each([
    ['word', 1_200, 2_250],
    ['sentence', 300, 1_350],
  ])(
    `${name}: a connection cut in the middle of a %s loses no word, and says none twice`,
    async (_what, pauseMs, cutMs) => {
      const { server, engine: make, refusals } = await listen()
      const engine = make()
      const { stream, words, translations, finals } = await interpreting(engine)
      const speech = toneSpeech(3, 600, pauseMs)
      await liveSpeech(pcm => stream.write(pcm), speech.subarray(0, 16 * cutMs))
      server.statuses.push(503)
      server.cut()
      await liveSpeech(
        pcm => stream.write(pcm),
        concat([speech.subarray(16 * cutMs), new Int16Array(16 * 1_500)]),
      )
      await until(() => translations().length >= 3, PATIENCE_MS, 'three words')
      await stream.close()
      await engine.close()
      expect(translations()).toEqual(['uno', 'dos', 'tres'])
      expect(words()).toEqual(['one', 'two', 'three'])
      const places = finals.flatMap(({ startMs, endMs }) => [startMs, endMs])
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(server.connections).toBe(2)
      expect(refusals()).toEqual([])
    },
  )

  test(`${name}: a wrong key is final, and not in the error`, async () => {
    const engine = (await listen()).engine({ apiKey: 'sk-wrong' })
    const error = await interpreting(engine).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EngineError', kind: 'interpretation' })
    expect((error as Error).message).toMatch(/^[a-z-]+: answered 40[13]$/)
    expect(String((error as Error).cause)).not.toContain('sk-wrong')
    await expect(interpreting(engine)).rejects.toThrow('skipped temporarily')
    await engine.close()
  })

  test(`${name}: a stream fails when its service does not return`, async () => {
    const { server, engine: make } = await listen()
    const engine = make()
    const { stream, failed } = await interpreting(engine)
    server.statuses.push(...Array.from({ length: 12 }, () => 503))
    server.cut()
    void liveSpeech(pcm => stream.write(pcm), toneSpeech(3))
    expect((await failed).message).toBe(`${engine.name}: answered 503`)
    await stream.close()
    await engine.close()
  })

  test(`${name}: no connection is held while no one speaks`, async () => {
    const { server, engine: make } = await listen()
    const engine = make({ quietMs: 600 })
    const { stream, translations } = await interpreting(engine)
    await liveSpeech(pcm => stream.write(pcm), new Int16Array(16 * 1_400))
    await until(() => server.sockets.size === 0, 5_000, 'the end of the connection')
    await liveSpeech(pcm => stream.write(pcm), toneSpeech(1, 600, 1_500))
    await until(() => translations().length === 1, PATIENCE_MS, 'a word')
    await stream.close()
    await engine.close()
    expect(translations()).toEqual(['uno'])
  })
}
