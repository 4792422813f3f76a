import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../../src/common/clock.ts'
import { Piper } from '../../../../src/service/engines/vendors/piper.ts'
import type { PiperOptions } from '../../../../src/service/engines/vendors/remote-settings.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import { wholeWav } from '../../../support/engines/fake-openai.ts'
import { FaultServer } from '../../../support/engines/fault-server.ts'
import { SERVER, survivesFaults } from '../../../support/engines/http-faults.ts'

/** Piper's server: the path of the newer releases, that of the older, or the plain text of the first. */
class FakePiper extends FaultServer {
  constructor(kind: 'new' | 'old' | 'legacy' = 'new', rate = 22_050) {
    super()
    const answer = (text: string) => wholeWav(text, rate)
    this.app.addContentTypeParser(
      'text/plain',
      { parseAs: 'string' },
      async (_request: unknown, body: string) => body,
    )
    if (kind === 'new') this.app.get('/', (_request, reply) => reply.type('text/html').send('<h1>Piper</h1>'))
    if (kind !== 'legacy') this.app.get('/voices', () => ({ 'es_ES-davefx-medium': { num_speakers: 1 } }))
    this.app.post(kind === 'new' ? '/synthesize' : '/', (request, reply) => {
      const text = kind === 'legacy' ? (request.body as string) : (request.body as { text: string }).text
      return reply.type('audio/wav').send(answer(text))
    })
  }
}

const VOICE = { voice: 'es_ES-davefx-medium', languages: ['es-es'], gender: 'M' } as const
const OPTIONS = { ...SERVER, apiKey: undefined, voices: [VOICE], speed: 1, legacy: false, neural: true }
const at = (url: string, changes: Partial<PiperOptions> = {}) =>
  Piper.create({ ...OPTIONS, url, ...changes }, systemClock)

async function spoken(engine: Piper, text: string) {
  const speech = await engine.speak(text, engine.voices[0]!.voiceId, new AbortController().signal)
  let samples = 0
  for await (const piece of speech.pieces) samples += piece.length
  return { rate: speech.rate, ms: Math.round((samples * 1_000) / speech.rate) }
}

for (const kind of ['new', 'old', 'legacy'] as const)
  conforms(
    `Piper of the ${kind} kind speaks`,
    synthesizerChecks,
    async () =>
      at((await new FakePiper(kind).listen()).url, { legacy: kind === 'legacy', timeoutMs: 20_000 }),
    engine => engine.close(),
  )

describe('faults', () => {
  survivesFaults(
    () => new FakePiper('legacy'),
    async url => {
      const engine = await at(url, { legacy: true })
      await spoken(engine, 'un secreto').finally(() => engine.close())
    },
    'un secreto',
  )
})

test('detects the path of older releases once, and remembers it', async () => {
  const server = await new FakePiper('old', 16_000).listen()
  const engine = await at(server.url, { speed: 2 })
  expect(await spoken(engine, 'hola')).toEqual({ rate: 16_000, ms: 160 })
  await spoken(engine, 'hola')
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /voices',
    'POST /synthesize',
    'POST /',
    'POST /',
  ])
  expect(server.seen[1]?.body).toEqual({ text: 'hola', voice: VOICE.voice, length_scale: 0.5 })
})

test('omits voices that the server does not have', async () => {
  const { url } = await new FakePiper().listen()
  const other = { voice: 'es_MX-ald-medium', languages: ['es-mx'], gender: 'M' } as const
  const engine = await at(url, { voices: [VOICE, other] })
  expect(engine.voices.map(({ voiceId, voiceEngine }) => [voiceId, voiceEngine])).toEqual([
    ['piper-es-es-es_ES-davefx-medium', 'neural'],
  ])
  await expect(at(url, { voices: [other] })).rejects.toThrow('has none of the 1 voices')
})

test('reports an unsupported rate', async () => {
  const { url } = await new FakePiper('new', 20_000).listen()
  await expect(spoken(await at(url), 'hola')).rejects.toThrow('20000 Hz')
})
