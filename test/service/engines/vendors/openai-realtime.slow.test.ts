import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../../src/common/clock.ts'
import { systemWallClock } from '../../../../src/common/wall-clock.ts'
import type {
  InterpretationSink,
  InterpretedText,
  Transcript,
} from '../../../../src/service/engines/engine.ts'
import { openAiLiveRecognizer } from '../../../../src/service/engines/vendors/openai/realtime.ts'
import { openAiInterpreter } from '../../../support/engines/live/fake-interpreters.ts'
import { FakeOpenAiRealtime } from '../../../support/engines/live/fake-openai-realtime.ts'
import { liveInterpreter } from '../../../support/engines/live/interpreter-checks.ts'
import { LIVE, liveRecognizer, liveSpeech } from '../../../support/engines/live/live-checks.ts'
import { toneSpeech } from '../../../support/engines/live/tone-speech.ts'
import { until } from '../../../support/until.ts'

const transcriber = (url: string, changes = {}) =>
  openAiLiveRecognizer(
    { ...LIVE, url, model: 'gpt-live-transcribe', pauseMs: 300, ...changes },
    systemClock,
    systemWallClock,
  )

liveInterpreter('OpenAI', openAiInterpreter)
liveRecognizer('OpenAI', () => new FakeOpenAiRealtime().listen(), transcriber)

test('a transcription session gets terms and topic', async () => {
  const server = await new FakeOpenAiRealtime().listen()
  const engine = transcriber(server.url)
  const sink = { partial() {}, final() {}, failed() {} }
  const stream = await engine.open('en-us', sink, { terms: ['Dragoman', 'Ana Núñez'], about: 'a hotel' })
  await stream.close()
  await engine.close()
  expect(server.sessions).toMatchObject([
    { audio: { input: { transcription: { keywords: ['Dragoman', 'Ana Núñez'], prompt: 'a hotel' } } } },
  ])
  expect(server.refusals).toEqual([])
})

/** Collects texts. */
function collected() {
  const finals: (Transcript | InterpretedText)[] = []
  const sink = {
    partial() {},
    audio() {},
    final: (result: Transcript | InterpretedText) => void finals.push(result),
    failed() {},
  } satisfies InterpretationSink
  const words = () => finals.map(({ text }) => text.toLowerCase()).filter(text => text !== '')
  return { sink, finals, words }
}

describe('connections', () => {
  test('one is replaced in a pause before it expires', async () => {
    const server = await new FakeOpenAiRealtime().listen()
    server.expiresIn = 3
    const engine = transcriber(server.url)
    const { sink, words } = collected()
    const stream = await engine.open('en-us', sink)
    await liveSpeech(pcm => stream.write(pcm), toneSpeech(3, 600, 1_200))
    await until(() => words().length === 3, 15_000, 'three words')
    await stream.close()
    expect(words()).toEqual(['one', 'two', 'three'])
    expect(server.connections).toBeGreaterThan(1)
    expect(server.refusals).toEqual([])
  })
})
