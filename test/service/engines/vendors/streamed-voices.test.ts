import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/common/clock.ts'
import type { Synthesizer } from '../../../../src/service/engines/engine.ts'
import { CartesiaSynthesizer } from '../../../../src/service/engines/vendors/cartesia.ts'
import { ElevenLabsSynthesizer } from '../../../../src/service/engines/vendors/elevenlabs.ts'
import { SonioxSynthesizer } from '../../../../src/service/engines/vendors/soniox/soniox.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import {
  FakeCartesia,
  FakeElevenLabs,
  FakeSonioxVoices,
  type FakeVoices,
  MS_PER_LETTER,
} from '../../../support/engines/fake-voices.ts'
import { SERVER, survivesFaults } from '../../../support/engines/http-faults.ts'

const voices = (voice: string) => [{ voice, languages: ['es-es', 'es-mx'], gender: 'F' as const }]
const never = new AbortController().signal

const vendors = [
  {
    name: 'cartesia',
    fake: () => new FakeCartesia(),
    make: (url: string, changes = {}, clock: Clock = systemClock) =>
      new CartesiaSynthesizer(
        { ...SERVER, url, model: 'sonic-3.5', voices: voices(FakeCartesia.voice), ...changes },
        clock,
      ),
    atOnce: 20,
  },
  {
    name: 'elevenlabs',
    fake: () => new FakeElevenLabs(),
    make: (url: string, changes = {}, clock: Clock = systemClock) =>
      new ElevenLabsSynthesizer(
        { ...SERVER, url, model: 'eleven_flash_v2_5', voices: voices(FakeElevenLabs.voice), ...changes },
        clock,
      ),
    atOnce: 40,
  },
  {
    name: 'soniox',
    fake: () => new FakeSonioxVoices(),
    make: (url: string, changes = {}, clock: Clock = systemClock) =>
      new SonioxSynthesizer(
        { ...SERVER, url, model: 'tts-rt-v2', voices: voices(FakeSonioxVoices.voice), ...changes },
        clock,
      ),
    atOnce: 15,
  },
]

async function spokenMs(engine: Synthesizer, text: string, signal = never): Promise<number> {
  const speech = await engine.speak(text, engine.voices[0]!.voiceId, signal)
  let samples = 0
  for await (const piece of speech.pieces) samples += piece.length
  return Math.round((samples * 1_000) / speech.rate)
}

describe.each(vendors)('$name', ({ name, fake, make, atOnce }) => {
  const servers = new WeakMap<object, FakeVoices>()

  conforms(
    'speaks',
    synthesizerChecks,
    async () => {
      const server = await fake().listen()
      const engine = make(server.url, { timeoutMs: 20_000 })
      servers.set(engine, server)
      return engine
    },
    async engine => {
      await engine.close()
      expect(servers.get(engine)?.refusals).toEqual([])
    },
  )

  survivesFaults(
    fake,
    async (url, clock) => {
      const engine = make(url, {}, clock)
      await spokenMs(engine, 'un secreto').finally(() => engine.close())
    },
    'un secreto',
  )

  test('the first sound comes before the text is spoken', async () => {
    const server = await fake().listen()
    const { promise, resolve } = Promise.withResolvers<void>()
    server.gate = promise
    const engine = make(server.url, { timeoutMs: 20_000 })
    const speech = await engine.speak('buenos días', engine.voices[0]!.voiceId, never)
    const pieces = speech.pieces[Symbol.asyncIterator]()
    const first = await pieces.next()
    expect(first.value?.length).toBeGreaterThan(0)
    resolve()
    let samples = first.value!.length
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) samples += next.value.length
    expect((samples * 1_000) / speech.rate).toBe(11 * MS_PER_LETTER)
    await engine.close()
  })

  test('an aborted text ends alone, and texts over the limit of the service wait', async () => {
    const server = await fake().listen()
    const engine = make(server.url, { timeoutMs: 20_000 })
    const stop = new AbortController()
    const long = await engine.speak('palabra '.repeat(100), engine.voices[0]!.voiceId, stop.signal)
    const lengths = Promise.all(Array.from({ length: atOnce + 5 }, () => spokenMs(engine, 'hola')))
    for await (const _ of long.pieces) stop.abort()
    expect(new Set(await lengths)).toEqual(new Set([4 * MS_PER_LETTER]))
    expect(server.mostSpeaking).toBeLessThanOrEqual(atOnce)
    await engine.close()
    expect(server.refusals).toEqual([])
  })

  test('a wrong key is an error without the key', async () => {
    const server = await fake().listen()
    const engine = make(server.url, { apiKey: 'sk-wrong' })
    const error = await spokenMs(engine, 'hola').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EngineError', kind: 'synthesis', message: `${name}: answered 401` })
    expect(String((error as Error).cause)).not.toContain('sk-wrong')
    expect(server.refusals).toEqual(['a wrong key'])
    await engine.close()
  })
})
