import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../../../src/common/clock.ts'
import type { Synthesizer } from '../../../../src/service/engines/engine.ts'
import { cartesiaSynthesizer } from '../../../../src/service/engines/vendors/cartesia.ts'
import { elevenLabsSynthesizer } from '../../../../src/service/engines/vendors/elevenlabs.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import { FakeCartesia, FakeElevenLabs } from '../../../support/engines/live/fake-contexts.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { until } from '../../../support/until.ts'

const OPTIONS = { apiKey: FAKE_KEY, timeoutMs: 10_000, cooldownMs: 60_000, idleMs: 60_000 }
const voices = (voice: string) => [{ voice, languages: ['es-es'], gender: 'F' as const }]

const providers = [
  {
    name: 'cartesia',
    listen: () => new FakeCartesia().listen(),
    make: (url: string, voice: string, apiKey = FAKE_KEY) =>
      cartesiaSynthesizer(
        { ...OPTIONS, apiKey, url, model: 'sonic-3.5', voices: voices(voice) },
        systemClock,
      ),
    path: () => '/tts/websocket',
    headers: { 'x-api-key': FAKE_KEY, 'cartesia-version': '2026-08-14' } as Record<string, string>,
  },
  {
    name: 'elevenlabs',
    listen: () => new FakeElevenLabs().listen(),
    make: (url: string, voice: string, apiKey = FAKE_KEY) =>
      elevenLabsSynthesizer(
        { ...OPTIONS, apiKey, url, model: 'eleven_flash_v2_5', voices: voices(voice) },
        systemClock,
      ),
    path: (voice: string) => `/v1/text-to-speech/${voice}/multi-stream-input?output_format=pcm_24000`,
    headers: { 'xi-api-key': FAKE_KEY } as Record<string, string>,
  },
]

async function spokenMs(engine: Synthesizer, text: string, signal = new AbortController().signal) {
  const speech = await engine.speak(text, engine.voices[0]!.voiceId, signal)
  let samples = 0
  for await (const piece of speech.pieces) samples += piece.length
  return (samples * 1_000) / speech.rate
}

describe.each(providers)('$name', ({ name, listen, make, path, headers }) => {
  const servers = new WeakMap<object, FakeCartesia | FakeElevenLabs>()

  conforms(
    'speaks',
    synthesizerChecks,
    async () => {
      const server = await listen()
      const engine = make(server.url, server.voice)
      servers.set(engine, server)
      return engine
    },
    async engine => {
      await engine.close()
      expect(servers.get(engine)?.refusals).toEqual([])
    },
  )

  test('an aborted text ends alone; the connection stays', async () => {
    const server = await listen()
    const engine = make(server.url, server.voice)
    const stop = new AbortController()
    const others = Promise.all([spokenMs(engine, 'buenos días'), spokenMs(engine, 'hola')])
    const long = await engine.speak('palabra '.repeat(100), engine.voices[0]!.voiceId, stop.signal)
    for await (const _ of long.pieces) stop.abort()
    expect(await others).toEqual([11 * 40, 4 * 40])
    expect(await spokenMs(engine, 'adiós')).toBe(200)
    await until(() => server.cancelled.length === 1, 5_000, 'the cancellation')
    expect(server.connections).toBe(1)
    await engine.close()
    expect(server.refusals).toEqual([])
  })

  test('many texts share few connections', async () => {
    const server = await listen()
    const engine = make(server.url, server.voice)
    const lengths = await Promise.all(Array.from({ length: 12 }, () => spokenMs(engine, 'buenos días')))
    expect(lengths).toEqual(Array.from({ length: 12 }, () => 440))
    expect(server.connections).toBeLessThanOrEqual(3)
    await engine.close()
    expect(server.refusals).toEqual([])
  })

  test('a cut connection repeats nothing and loses nothing', async () => {
    const server = await listen()
    const engine = make(server.url, server.voice)
    const speech = await engine.speak(
      'palabras '.repeat(20),
      engine.voices[0]!.voiceId,
      AbortSignal.timeout(9_000),
    )
    let samples = 0
    for await (const piece of speech.pieces) {
      if (samples === 0) server.cut()
      samples += piece.length
    }
    expect((samples * 1_000) / speech.rate).toBe(('palabras '.repeat(20).length - 1) * 40)
    await engine.close()
    expect(server.refusals).toEqual([])
  })

  test('a passing fault is repeated, a final one is told without the text', async () => {
    const server = await listen()
    const engine = make(server.url, server.voice)
    server.faults.push(503)
    expect(await spokenMs(engine, 'hola')).toBe(160)
    server.faults.push(400)
    const error = await spokenMs(engine, 'un secreto').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EngineError', kind: 'synthesis' })
    expect(String(error)).not.toContain('secreto')
    expect(await spokenMs(engine, 'hola')).toBe(160)
    await engine.close()
  })

  test('a wrong key is final, and not in the error', async () => {
    const server = await listen()
    const engine = make(server.url, server.voice, 'sk-wrong')
    const error = await spokenMs(engine, 'hola').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: `${name}: answered 401` })
    expect(String((error as Error).cause)).not.toContain('sk-wrong')
    await expect(spokenMs(engine, 'hola')).rejects.toThrow('skipped temporarily')
    await engine.close()
  })

  test.each([
    ['no key', (all: Record<string, string>) => ({ 'cartesia-version': all['cartesia-version'] ?? '' })],
    ['another path', (all: Record<string, string>) => all],
  ])('the fake refuses %s', async (fault, changed) => {
    const server = await listen()
    const url =
      server.url.replace('http', 'ws') + (fault === 'another path' ? '/v1/other' : path(server.voice))
    const socket = new WebSocket(url, { headers: changed(headers) })
    socket.on('error', () => {})
    await until(() => server.refusals.length > 0, 5_000, 'a refusal')
    expect(server.connections).toBe(0)
    socket.terminate()
  })

  test.each([
    ['an unknown field', { context_id: 'u1', colour: 'red' }],
    ['a message without a context', { text: 'hola ' }],
    ['text at once, or without its configuration', { context_id: 'u1', text: 'hola ' }],
  ])('the fake ends a connection for %s', async (_fault, message) => {
    const server = await listen()
    const socket = new WebSocket(server.url.replace('http', 'ws') + path(server.voice), { headers })
    socket.on('open', () => socket.send(JSON.stringify(message)))
    await until(() => server.refusals.length > 0, 5_000, 'a refusal')
    await until(() => server.sockets.size === 0, 5_000, 'the end')
  })
})
