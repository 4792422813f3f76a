import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { noopLogger } from '../../../src/common/log.ts'
import {
  EngineError,
  type SpeechStream,
  type Transcript,
  type TranscriptSink,
} from '../../../src/service/engines/engine.ts'
import {
  serveInterpreters,
  serveRecognizers,
  serveSynthesizers,
  serveTranslators,
} from '../../../src/service/engines/serve.ts'
import type { EngineMeter } from '../../../src/service/engines/usage/engine-meter.ts'
import { EngineUsage } from '../../../src/service/engines/usage/engine-usage.ts'
import { Phrasebook } from '../../../src/service/engines/vocabulary/phrasebook.ts'
import { Vocabulary, vocabularySchema } from '../../../src/service/engines/vocabulary/vocabulary.ts'
import {
  FakeInterpreter,
  FakeRecognizer,
  FakeSynthesizer,
  FakeTranslator,
} from '../../support/engines/fake-engines.ts'

const SECOND = new Int16Array(16_000)
const perMinute = (budget: number) => ({
  price: { currency: 'USD', perMinute: 60 },
  budget: { perDay: budget },
})

let clock: FakeClock
let usage: EngineUsage
const serving = (log = noopLogger) => ({
  ...{ usage, log, phrases: new Phrasebook() },
  vocabulary: new Vocabulary(vocabularySchema.parse({})),
})

beforeEach(() => {
  clock = new FakeClock()
  usage = new EngineUsage({ clock, wallClock: () => 1_000 })
})

class Heard implements TranscriptSink {
  readonly texts: string[] = []
  readonly failures: Error[] = []
  partial({ text }: Transcript) {
    this.texts.push(`${text}…`)
  }
  final({ text }: Transcript) {
    this.texts.push(text)
  }
  failed(error: Error) {
    this.failures.push(error)
  }
}

describe('a metered recognizer', () => {
  let engine: FakeRecognizer
  let meter: EngineMeter
  let heard: Heard
  const open = (): Promise<SpeechStream> =>
    serveRecognizers([{ engine, meter }], serving())[0]!.open('en-us', heard)

  beforeEach(() => {
    engine = new FakeRecognizer()
    heard = new Heard()
    meter = usage.meter('transcription', engine.name)
  })

  it('counts open streams, their audio and their ends', async () => {
    const stream = await open()
    stream.write(SECOND)
    stream.write(SECOND)
    expect(meter.figures).toMatchObject({ connections: 1, audioSeconds: { in: 2, out: 0 } })
    await stream.close()
    await stream.close()
    stream.write(SECOND)
    expect(meter.figures).toMatchObject({
      connections: 0,
      audioSeconds: { in: 2 },
      requests: { ok: 1, failed: 0 },
    })
    expect(engine.streams[0]).toMatchObject({ samples: 32_000, closed: true })
  })

  it('counts a stream that does not open, and one that fails, as failed', async () => {
    engine.refuses = true
    await expect(open()).rejects.toThrow('no ears')
    engine.refuses = false
    const stream = await open()
    engine.streams[0]!.sink.failed(new Error('broken'))
    engine.streams[0]!.hear('too late')
    await stream.close()
    expect(heard.failures.map(({ message }) => message)).toEqual(['broken'])
    expect(heard.texts).toEqual([])
    expect(meter.figures).toMatchObject({ connections: 0, requests: { ok: 0, failed: 2 } })
  })

  it('measures the time from the start of an utterance to its first text only', async () => {
    const stream = await open()
    for (let at = 0; at < 10; at++) {
      stream.write(SECOND.subarray(0, 1_600))
      clock.advance(100)
    }
    const { sink } = engine.streams[0]!
    // The audio at 450 ms arrived 600 ms ago.
    sink.partial({ utterance: 1, text: '', startMs: 450, endMs: 600 })
    sink.partial({ utterance: 1, text: 'good', startMs: 450, endMs: 600 })
    sink.final({ utterance: 1, text: 'good morning', startMs: 450, endMs: 900 })
    expect(meter.figures.firstResult).toMatchObject({ count: 1, sum: expect.closeTo(0.6, 6) })
    expect(heard.texts).toEqual(['…', 'good…', 'good morning'])
  })

  it('fails an open stream within a second after its budget is used up', async () => {
    meter = usage.meter('transcription', 'paid', perMinute(3))
    const stream = await open()
    for (let at = 0; at < 3; at++) stream.write(SECOND)
    expect(heard.failures.map(({ message }) => message)).toEqual(['paid: its budget is used up'])
    stream.write(SECOND)
    await stream.close()
    expect(meter.figures).toMatchObject({
      audioSeconds: { in: 3 },
      requests: { over_budget: 1, ok: 0 },
      cost: { amount: 3 },
    })
    await expect(open()).rejects.toThrow(EngineError)
    expect(engine.streams.length).toBe(1)
  })
})

describe('a metered translator', () => {
  it('counts what it translates, how fast, and what fails', async () => {
    const engine = new FakeTranslator()
    const meter = usage.meter('translation', engine.name)
    const metered = serveTranslators([{ engine, meter }], serving())[0]!
    expect(await metered.translate('hello', 'en-us', 'es-es')).toBe('HELLO')
    await expect(metered.translate('fail', 'en-us', 'es-es')).rejects.toThrow('no words')
    expect(meter.figures).toMatchObject({
      characters: 5,
      requests: { ok: 1, failed: 1 },
      firstResult: { count: 1 },
    })
  })

  it('passes on what the engine reports', () => {
    let report: ((figures: { inputTokens: number }) => void) | undefined
    const engine = Object.assign(new FakeTranslator(), {
      onReport: (listener: typeof report) => (report = listener),
    })
    const meter = usage.meter('translation', engine.name)
    serveTranslators([{ engine, meter }], serving())
    report?.({ inputTokens: 7 })
    expect(meter.figures.tokens).toEqual({ in: 7, out: 0 })
  })
})

describe('a metered synthesizer', () => {
  const { signal } = new AbortController()

  it('counts the characters it is given and the audio it makes', async () => {
    const engine = new FakeSynthesizer()
    const meter = usage.meter('synthesis', engine.name)
    const { pieces, rate } = await serveSynthesizers([{ engine, meter }], serving())[0]!.speak(
      'one two',
      'one',
      signal,
    )
    let samples = 0
    for await (const piece of pieces) samples += piece.length
    expect(meter.figures).toMatchObject({
      characters: 7,
      audioSeconds: { in: 0, out: samples / rate },
      requests: { ok: 1, failed: 0 },
      firstResult: { count: 1 },
    })
  })

  it('counts a failure in the middle as failed, and a receiver that stops as served', async () => {
    const engine = new FakeSynthesizer()
    const meter = usage.meter('synthesis', engine.name)
    const metered = serveSynthesizers([{ engine, meter }], serving())[0]!
    const read = async (text: string) => {
      for await (const _ of (await metered.speak(text, 'one', signal)).pieces) if (text === 'one two') break
    }
    await expect(read('one STOP')).rejects.toThrow('mouth shut')
    await expect(read('MUTE')).rejects.toThrow('no mouth')
    await read('one two')
    expect(meter.figures.requests).toEqual({ ok: 1, failed: 2, over_budget: 0 })
  })
})

describe('engines in order', () => {
  const lines: string[] = []
  const log = { ...noopLogger, warn: (_: object, message: string) => void lines.push(message) }

  class Failing extends FakeTranslator {
    broken = true
    override async translate(text: string): Promise<string> {
      if (this.broken) throw new EngineError('translation', 'first', 'answered 503')
      return super.translate(text)
    }
  }

  it('record who serves instead of a failing engine, until it serves again', async () => {
    lines.length = 0
    const first = new Failing()
    const [engine] = serveTranslators(
      [
        { engine: first, meter: usage.meter('translation', 'first') },
        { engine: new FakeTranslator(), meter: usage.meter('translation', 'second') },
      ],
      serving(log),
    )
    expect(await engine!.translate('hello', 'en-us', 'es-es')).toBe('HELLO')
    expect(usage.standIns).toEqual([
      { kind: 'translation', engine: 'first', instead: 'second', why: 'failed', since: 1_000 },
    ])
    expect(lines).toEqual(['engine failed'])
    first.broken = false
    await engine!.translate('hello', 'en-us', 'es-es')
    expect(usage.standIns).toEqual([])
  })

  it('skip an engine over its budget without a line for every request', async () => {
    lines.length = 0
    const meter = usage.meter('synthesis', 'paid', perMinute(0.05))
    const [engine] = serveSynthesizers(
      [
        { engine: new FakeSynthesizer(), meter },
        { engine: new FakeSynthesizer(), meter: usage.meter('synthesis', 'free') },
      ],
      serving(log),
    )
    const speak = async () => {
      const { pieces } = await engine!.speak('one two', 'one', new AbortController().signal)
      for await (const _ of pieces);
    }
    await speak()
    expect(usage.standIns).toEqual([])
    for (let at = 0; at < 3; at++) await speak()
    expect(usage.standIns).toMatchObject([{ engine: 'paid', instead: 'free', why: 'over_budget' }])
    expect(usage.figures.map(({ requests }) => requests)).toEqual([
      { ok: 1, failed: 0, over_budget: 3 },
      { ok: 3, failed: 0, over_budget: 0 },
    ])
    expect(lines).toEqual([])
  })

  it('open a stream at the next engine once the budget of the first is used up', async () => {
    const [paid, free] = [new FakeRecognizer(), new FakeRecognizer()]
    const [engine] = serveRecognizers(
      [
        { engine: paid, meter: usage.meter('transcription', 'paid', perMinute(1)) },
        { engine: free, meter: usage.meter('transcription', 'free') },
      ],
      serving(log),
    )
    const heard = new Heard()
    const stream = await engine!.open('en-us', heard)
    stream.write(SECOND)
    expect(heard.failures.length).toBe(1)
    await stream.close()
    await engine!.open('en-us', heard)
    expect([paid.streams.length, free.streams.length]).toEqual([1, 1])
    expect(usage.standIn('transcription', 'paid')).toBe('free')
  })
})

describe('a metered interpreter', () => {
  it('counts audio both ways, its first translated text, and its end', async () => {
    const engine = new FakeInterpreter()
    const meter = usage.meter('interpretation', engine.name)
    const heard: string[] = []
    const sink = {
      partial: ({ translation }: { translation: string }) => void heard.push(`${translation}…`),
      audio: (_: number, pcm: Int16Array) => void heard.push(`${pcm.length} samples`),
      final: ({ translation }: { translation: string }) => void heard.push(translation),
      failed: ({ message }: Error) => void heard.push(message),
    }
    const stream = await serveInterpreters([{ engine, meter }], serving())[0]!.open(
      { from: 'en-us', to: 'es-es' },
      sink,
    )
    stream.write(SECOND)
    clock.advance(400)
    const text = { utterance: 1, text: 'good', translation: '', startMs: 0, endMs: 900 }
    const [inner] = engine.sinks
    inner!.partial(text)
    inner!.partial({ ...text, translation: 'buenos' })
    inner!.audio(1, new Int16Array(12_000), 24_000)
    inner!.final({ ...text, translation: 'Buenos días.' })
    expect(meter.figures).toMatchObject({
      connections: 1,
      audioSeconds: { in: 1, out: 0.5 },
      firstResult: { count: 1, sum: expect.closeTo(0.4, 6) },
    })
    inner!.failed(new Error('gone'))
    inner!.final(text)
    expect(heard).toEqual(['…', 'buenos…', '12000 samples', 'Buenos días.', 'gone'])
    expect(meter.figures).toMatchObject({ connections: 0, requests: { ok: 0, failed: 1 } })
    await stream.close()
  })
})
