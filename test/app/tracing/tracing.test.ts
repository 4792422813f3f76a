import { afterEach, describe, expect, test } from 'vitest'
import { TraceCounters } from '../../../src/app/tracing/counters.ts'
import { tracingSettingsSchema } from '../../../src/app/tracing/settings.ts'
import { openTracing } from '../../../src/app/tracing/tracing.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { LogLines } from '../../support/log-lines.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { collector } from '../../support/tracing/collector.ts'
import { sine } from '../../support/transcode/tone.ts'

type Rooms = Awaited<ReturnType<typeof rooms>>
let r: Rooms
afterEach(() => r.relay.close())

/** Start of the room's clock. */
const EPOCH = Date.UTC(2026, 10, 21, 10)

/** `exportMs`: how long the collector has to respond. */
async function traced(url: string, settings: object = {}, exportMs = 500) {
  r = await rooms()
  const counters = new TraceCounters()
  const log = new LogLines()
  const parsed = tracingSettingsSchema.parse({ url, ...settings })
  const tracing = openTracing(parsed, url, {
    observer: r.relay.observer,
    clock: systemClock,
    wall: () => EPOCH + r.clock.now(),
    log,
    counters,
    version: '1.2.3',
    gatherMs: 20,
    exportMs,
  })
  return { tracing, counters, log }
}

/** Anna speaks and is translated into Spanish; `ben`, a listener, hears it too. */
async function talk(words = 'a secret that is nobody else’s'): Promise<void> {
  r.join('anna', { room: 'r', speaks: 'en-us', hears: 'en-us' })
  r.join('+15005550006', { room: 'r', speaks: 'es-es', hears: 'es-es' })
  await r.run(100)
  r.say('anna', sine(440, 1_000))
  await r.run(1_300)
  const { sink } = r.connection('en-us', 'es-es')
  sink.result({ utterance: '1', final: true, text: words })
  await r.run(100)
  sink.result({
    utterance: '1',
    final: true,
    text: words,
    translation: words,
    audio: r.maker.tone(1_800, 500),
  })
  sink.endOfSpeech()
  await r.run(1_000)
}

describe('a trace', () => {
  test('has one span per utterance, with its actual stages, and no words, names or numbers', async () => {
    await using there = await collector()
    const { tracing, counters } = await traced(there.url, {
      headers: { authorization: 'Bearer the-key' },
      serviceName: 'bridge-1',
    })
    await talk()
    r.legs.get('+15005550006')?.hear()
    const heardAt = EPOCH + r.clock.now()
    await expect.poll(() => there.spans.length, { timeout: 60_000 }).toBe(5)
    await tracing[Symbol.asyncDispose]()

    const [root] = there.spans.filter(({ name }) => name === 'utterance')
    expect(root?.parentSpanId).toBe('')
    expect(root?.toMs).toBeCloseTo(heardAt)
    expect(root?.status).toBe(0)
    expect(root?.attributes).toMatchObject({
      'dragoman.language.from': 'en-us',
      'dragoman.language.to': 'es-es',
      'dragoman.channel.speaker': 'fake',
      'dragoman.channel.listener': 'fake',
      'dragoman.outcome': 'heard',
      'dragoman.listeners': 1,
      'dragoman.room': expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    const children = there.spans.filter(({ name }) => name !== 'utterance')
    expect(children.map(({ name }) => name)).toEqual(['recognition', 'service', 'bridge', 'playing'])
    for (const child of children)
      expect([child.traceId, child.parentSpanId]).toEqual([root?.traceId, root?.spanId])
    // One after the other, from the end of speech on.
    let at = root?.fromMs ?? 0
    for (const { fromMs, toMs } of children) {
      expect(fromMs).toBeCloseTo(at, 1)
      at = toMs
    }
    expect(at).toBeCloseTo(root?.toMs ?? -1, 1)
    const [recognition, service] = children
    expect(recognition!.toMs - recognition!.fromMs).toBeGreaterThan(250)
    expect(service!.toMs - service!.fromMs).toBeCloseTo(100)
    expect(there.resources[0]).toEqual({ 'service.name': 'bridge-1', 'service.version': '1.2.3' })
    const [request] = there.requests
    expect([request?.path, request?.headers.authorization]).toEqual(['/v1/traces', 'Bearer the-key'])
    for (const { text } of there.requests) expect(text).not.toMatch(/secret|anna|15005550006|"r"/)
    expect(counters).toMatchObject({ utterances: 1, exported: 5, failed: 0 })
  })

  test('reports that an utterance was dropped, or that the leg failed', async () => {
    await using there = await collector()
    const { tracing } = await traced(there.url)
    await talk()
    const error = new BridgeError('LEG_SILENT', 'no event arrived')
    await r.legs.get('+15005550006')?.close({ kind: 'failed', error })
    await r.run(100)
    r.relay.observer.emit('utterance', {
      ...{ room: 'r', speaker: 'anna', listener: 'ben', utterance: 'other', audioMs: 400 },
      stage: 'dropped',
    })
    await tracing[Symbol.asyncDispose]()
    const roots = there.spans.filter(({ name }) => name === 'utterance')
    expect(
      roots.map(({ status, message, attributes }) => [status, message, attributes['dragoman.outcome']]),
    ).toEqual([
      [2, 'LEG_SILENT', 'failed'],
      [2, 'dropped', 'dropped'],
    ])
  })

  test('is one, for any number of listeners', async () => {
    await using there = await collector()
    const { tracing, counters } = await traced(there.url)
    r.join('carl', { room: 'r', speaks: 'es-es', hears: 'es-es' })
    await talk()
    for (const leg of r.legs.values()) leg.hear()
    await tracing[Symbol.asyncDispose]()
    const roots = there.spans.filter(({ name }) => name === 'utterance')
    expect(roots.map(({ attributes }) => attributes['dragoman.listeners'])).toEqual([2])
    expect(counters.utterances).toBe(1)
  })

  test('covers only the sampled share of utterances', async () => {
    await using there = await collector()
    const { tracing, counters } = await traced(there.url, { sampleRatio: 0 })
    await talk()
    for (const leg of r.legs.values()) leg.hear()
    await tracing[Symbol.asyncDispose]()
    expect([counters.utterances, there.requests.length]).toEqual([1, 0])
  })
})

describe('a collector', () => {
  const many = (count: number) => {
    for (let n = 0; n < count; n++)
      r.relay.observer.emit('utterance', {
        ...{ room: 'r', speaker: 'anna', listener: 'ben', utterance: `u${n}`, audioMs: 400 },
        stage: 'dropped',
      })
  }

  test('that is unavailable does not affect calls, and is counted and logged once', async () => {
    const there = await collector()
    await there[Symbol.asyncDispose]()
    const { tracing, counters, log } = await traced(there.url)
    await talk()
    for (const leg of r.legs.values()) leg.hear()
    expect(r.utterances.map(({ stage }) => stage)).toEqual(['begun', 'heard'])
    await expect.poll(() => counters.failed, { timeout: 60_000 }).toBeGreaterThan(0)
    many(3)
    await tracing[Symbol.asyncDispose]()
    expect(log.complaints).toHaveLength(1)
  })

  test('that does not respond delays no call, and its queue is bounded', async () => {
    await using there = await collector({ slow: true })
    const { tracing } = await traced(there.url, {}, 100)
    many(1)
    await expect.poll(() => there.requests.length, { timeout: 60_000 }).toBe(1)
    // No call waits for a response: all this happens at once.
    many(10_000)
    await tracing[Symbol.asyncDispose]()
    const sent = there.requests.reduce((sum, { text }) => sum + (text.match(/"spanId"/g)?.length ?? 0), 0)
    expect(sent).toBeLessThanOrEqual(1 + 2_048)
  })
})
