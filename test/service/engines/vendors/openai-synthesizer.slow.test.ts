import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/common/clock.ts'
import { OpenAiSynthesizer } from '../../../../src/service/engines/vendors/openai/openai.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import { FakeOpenAi } from '../../../support/engines/fake-openai.ts'
import { KEY, SERVER, survivesFaults } from '../../../support/engines/http-faults.ts'

const at = (
  url: string,
  changes: { format?: 'pcm' | 'wav' | 'mp3'; speed?: number; timeoutMs?: number } = {},
  clock: Clock = systemClock,
) =>
  new OpenAiSynthesizer(
    {
      ...SERVER,
      url,
      model: 'tts-1',
      voices: [
        { voice: 'alloy', languages: ['es-es', 'en-us'], gender: 'F' },
        { voice: 'echo', languages: ['es-es'], gender: 'M' },
      ],
      format: 'pcm',
      speed: 1,
      ...changes,
    },
    clock,
  )

async function spoken(engine: OpenAiSynthesizer, text: string, voiceId = 'openai-es-es-alloy') {
  const speech = await engine.speak(text, voiceId, new AbortController().signal)
  let samples = 0
  for await (const piece of speech.pieces) samples += piece.length
  return { rate: speech.rate, ms: (samples * 1_000) / speech.rate }
}

for (const format of ['pcm', 'wav', 'mp3'] as const)
  conforms(
    `An OpenAI-compatible server speaks in ${format}`,
    synthesizerChecks,
    async () => at((await new FakeOpenAi().listen()).url, { format, timeoutMs: 20_000 }),
    engine => engine.close(),
  )

describe('faults', () => {
  survivesFaults(
    () => new FakeOpenAi(),
    async (url, clock) => {
      const engine = at(url, { format: 'wav' }, clock)
      await spoken(engine, 'un secreto').finally(() => engine.close())
    },
    'un secreto',
  )
})

test('sends the documented request, and lists the configured voices', async () => {
  const server = await new FakeOpenAi().listen()
  const engine = at(server.url, { speed: 1.25 })
  await spoken(engine, 'hola', 'openai-es-es-echo')
  expect(server.seen[0]).toMatchObject({
    path: '/v1/audio/speech',
    headers: { authorization: `Bearer ${KEY}` },
    body: { model: 'tts-1', input: 'hola', voice: 'echo', response_format: 'pcm', speed: 1.25 },
  })
  expect(
    engine.voices.map(({ voiceId, voiceGender, voiceEngine }) => [voiceId, voiceGender, voiceEngine]),
  ).toEqual([
    ['openai-es-es-alloy', 'F', 'neural'],
    ['openai-en-us-alloy', 'F', 'neural'],
    ['openai-es-es-echo', 'M', 'neural'],
  ])
})

test('reads a response by its content type, not by the requested format', async () => {
  const server = await new FakeOpenAi().listen()
  server.speechType = 'application/octet-stream'
  expect(await spoken(at(server.url, { format: 'wav' }), 'hola')).toMatchObject({ rate: 24_000, ms: 160 })
  const mp3 = await spoken(at(server.url, { format: 'mp3' }), 'hola hola hola')
  expect(mp3.rate).toBe(16_000)
  expect(Math.abs(mp3.ms - 14 * 40)).toBeLessThan(80)
  server.speechType = 'audio/wav'
  await expect(spoken(at(server.url, { format: 'pcm' }), 'hola')).rejects.toThrow('unreadable audio')
})

test('requests a long text in pieces that end with sentences', async () => {
  const server = await new FakeOpenAi().listen()
  await spoken(at(server.url, { timeoutMs: 20_000 }), 'Una frase que no es corta. '.repeat(300))
  const inputs = server.seen.map(({ body }) => (body as { input: string }).input)
  expect(inputs.length).toBe(2)
  for (const input of inputs) expect(input.length).toBeLessThanOrEqual(4_096)
  expect(inputs[0]).toMatch(/corta\.$/)
  expect(inputs.join(' ')).toBe('Una frase que no es corta. '.repeat(300).trim())
})
