import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../../../src/common/clock.ts'
import {
  sonioxSpeech,
  sonioxSynthesizer,
} from '../../../../src/service/engines/vendors/soniox/soniox-voice.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import { FAKE_KEY } from '../../../support/engines/live/fake-live-server.ts'
import { FakeSonioxVoice } from '../../../support/engines/live/fake-soniox-voice.ts'
import { until } from '../../../support/engines/live/live-tests.ts'

const OPTIONS = {
  apiKey: FAKE_KEY,
  model: 'tts-rt-v2',
  timeoutMs: 3_000,
  cooldownMs: 60_000,
  idleMs: 60_000,
  voices: [{ voice: 'Adrian', languages: ['es-es', 'es-mx'], gender: 'M' as const }],
}
const ADRIAN = { voice: 'Adrian', language: 'es-es' }

const synthesizer = (url: string, changes = {}) =>
  sonioxSynthesizer({ ...OPTIONS, url, ...changes }, systemClock)

const servers = new WeakMap<object, FakeSonioxVoice>()

conforms(
  'Soniox speaks',
  synthesizerChecks,
  async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url, { timeoutMs: 20_000 })
    servers.set(engine, server)
    return engine
  },
  async engine => {
    await engine.close()
    expect(servers.get(engine)?.refusals).toEqual([])
  },
)

async function spoken(engine: ReturnType<typeof synthesizer>, text: string): Promise<number> {
  const speech = await engine.speak(text, 'soniox-es-es-Adrian', new AbortController().signal)
  let samples = 0
  for await (const piece of speech.pieces) samples += piece.length
  return (samples * 1_000) / speech.rate
}

describe('utterances on one connection', () => {
  test('share it, and an aborted one ends alone', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url)
    const stop = new AbortController()
    const others = Promise.all([spoken(engine, 'uno dos tres'), spoken(engine, 'uno dos')])
    const aborted = await engine.speak('palabra '.repeat(60), 'soniox-es-es-Adrian', stop.signal)
    for await (const _ of aborted.pieces) stop.abort()
    expect(await others).toEqual([3 * 440, 2 * 440])
    // The service sends a little more after that, which no one misses.
    expect(await spoken(engine, 'tres')).toBe(440)
    expect(server.cancelled).toHaveLength(1)
    expect(server.connections).toBe(1)
    expect(server.streams[0]).toMatchObject({ language: 'es', voice: 'Adrian', sample_rate: 24_000 })
    await engine.close()
    expect(server.refusals).toEqual([])
  })

  test('beyond five use another connection, and beyond all limits wait', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url)
    const lengths = await Promise.all(Array.from({ length: 22 }, () => spoken(engine, 'uno dos')))
    expect(lengths).toEqual(Array.from({ length: 22 }, () => 880))
    expect(server.connections).toBe(3)
    expect(server.mostStreams).toBe(5)
    await engine.close()
    expect(server.refusals).toEqual([])
  })

  test('are heard before their text is complete', async () => {
    const server = await new FakeSonioxVoice().listen()
    const speech = sonioxSpeech('soniox', { ...OPTIONS, url: server.url }, systemClock)
    let samples = 0
    let ended = false
    const utterance = speech.start(ADRIAN, {
      audio: pcm => {
        samples += pcm.length
      },
      ended: () => {
        ended = true
      },
      failed: error => expect.unreachable(error.message),
    })
    utterance.say('Uno, dos ')
    await until(() => samples === 24 * 880, 'speech')
    expect(ended).toBe(false)
    utterance.say('y tres.')
    utterance.end()
    await until(() => ended, 'end')
    expect(samples).toBe(24 * (880 + 80 + 440))
    expect(Array.from(server.texts.values())).toEqual(['Uno, dos y tres.'])
    speech.close()
    expect(server.refusals).toEqual([])
  })
})

describe('faults', () => {
  test('a cut connection repeats nothing and loses nothing', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url)
    const speech = await engine.speak(
      'uno dos '.repeat(10),
      'soniox-es-es-Adrian',
      AbortSignal.timeout(9_000),
    )
    let samples = 0
    for await (const piece of speech.pieces) {
      if (samples === 0) server.cut()
      samples += piece.length
    }
    expect(samples).toBe(24 * 20 * 440)
    expect(server.connections).toBe(2)
    await engine.close()
    expect(server.refusals).toEqual([])
  })

  test('a stream that fails for a moment is spoken again, the others go on', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url)
    server.faults.push({ code: 503, after: 1 }, { code: 429, after: 0 })
    const lengths = await Promise.all(['uno', 'dos', 'tres'].map(text => spoken(engine, text)))
    expect(lengths).toEqual([440, 440, 440])
    expect(server.streams).toHaveLength(5)
    expect(server.connections).toBe(1)
    await engine.close()
  })

  test('one that would fail again fails at once, without its text in the error', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url)
    server.faults.push({ code: 400, after: 0 })
    const error = await spoken(engine, 'un secreto').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EngineError', kind: 'synthesis', message: 'soniox: answered 400' })
    expect(server.streams).toHaveLength(1)
    expect(await spoken(engine, 'uno')).toBe(440)
    await engine.close()
  })

  test('a wrong key is final, is not in the error, and starts the cooldown', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url, { apiKey: 'sk-wrong' })
    const error = await spoken(engine, 'uno').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: 'soniox: answered 401' })
    expect(String((error as Error).cause)).not.toContain('sk-wrong')
    await expect(spoken(engine, 'uno')).rejects.toThrow('skipped temporarily')
    expect(server.refusals).toEqual(['a wrong key'])
    await engine.close()
  })

  test('a service that stays away is given up', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url)
    server.statuses.push(503, 503, 503)
    await expect(spoken(engine, 'uno')).rejects.toThrow('soniox: answered 503')
    await engine.close()
  })

  test('an unused connection is closed, and opened again', async () => {
    const server = await new FakeSonioxVoice().listen()
    const engine = synthesizer(server.url, { idleMs: 200 })
    expect(await spoken(engine, 'uno')).toBe(440)
    await until(() => server.sockets.size === 0, 'closed connection')
    expect(await spoken(engine, 'uno')).toBe(440)
    expect(server.connections).toBe(2)
    await engine.close()
    expect(server.refusals).toEqual([])
  })
})

describe('the fake refuses', () => {
  const configured = (changes: object) => ({
    stream_id: 's1',
    model: 'tts-rt-v2',
    language: 'es',
    voice: 'Adrian',
    audio_format: 'pcm_s16le',
    sample_rate: 24_000,
    ...changes,
  })
  const cases: [string, object[], string][] = [
    ['a key in a message', [configured({ api_key: FAKE_KEY })], 'the key in a message'],
    ['an unknown field', [configured({ colour: 'red' })], 'the unknown field colour'],
    ['an unknown voice', [configured({ voice: 'Nobody' })], 'the voice Nobody'],
    ['an unknown language', [configured({ language: 'es-es' })], 'the language es-es'],
    ['another rate', [configured({ sample_rate: 12_345 })], 'another format'],
    ['text of no stream', [{ stream_id: 's1', text: 'uno', text_end: true }], 'text of an unknown stream'],
    ['an id in use', [configured({}), configured({})], 'a stream_id that is in use'],
    [
      'a sixth stream',
      Array.from({ length: 6 }, (_, index) => configured({ stream_id: `s${index}` })),
      'a sixth stream',
    ],
    ['text without an end mark', [configured({}), { stream_id: 's1', text: 'uno' }], 'text without text_end'],
  ]
  test.each(cases)('%s', async (_name, messages, reason) => {
    const server = await new FakeSonioxVoice().listen()
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/tts-websocket`, {
      headers: { authorization: `Bearer ${FAKE_KEY}` },
    })
    await new Promise(resolve => socket.once('open', resolve))
    for (const message of messages) socket.send(JSON.stringify(message))
    await until(() => server.refusals.length > 0, 'refusal', 2_000)
    expect(server.refusals).toEqual([reason])
    socket.terminate()
  })
})
