import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { ScriptedService, silence, tones } from '../../../simulator/index.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { ConnectionSink, TranslationResult } from '../../../src/core/translation/translator.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { quiet, sine } from '../../support/transcode/tone.ts'

/** Records the events of a connection and lets a test wait for them. */
function recorder() {
  const events: string[] = []
  const results: TranslationResult[] = []
  let reason: EndReason | undefined
  const waiting: { test: () => boolean; settle: () => void }[] = []
  const note = (event: string) => {
    events.push(event)
    for (const wait of waiting) if (wait.test()) wait.settle()
  }
  const sink: ConnectionSink = {
    ready: () => note('ready'),
    acked: (sequence, ok) => note(`ack ${sequence} ${ok}`),
    result: result => {
      results.push(result)
      note('result')
    },
    endOfSpeech: () => note('end'),
    fault: error => note(`fault ${error.message}`),
    ended: end => {
      reason = end
      note('ended')
    },
  }
  const until = (event: string) =>
    new Promise<void>(settle => {
      const test = () => events.includes(event)
      if (test()) settle()
      else waiting.push({ test, settle })
    })
  return { sink, events, results, until, reason: () => reason }
}

const request = { from: 'en-us', to: 'es-es', want: 'speech' } as const
let service: ScriptedService

afterEach(() => service.close())

function translator(more: Partial<ConstructorParameters<typeof ServiceTranslator>[0]> = {}) {
  return new ServiceTranslator({ url: service.url, apiKey: service.apiKey, ...more })
}

describe('against a service that behaves', () => {
  beforeEach(async () => {
    service = await ScriptedService.listen({ answer: tones({ partialMs: 200 }), record: true })
  })

  test('sends only after start, receives acknowledgments, and returns text and voice in order', async () => {
    const { sink, until, events, results } = recorder()
    const connection = translator().open(request, sink)
    connection.send(bytesOf(sine(500, 60)), 99)
    await until('ready')
    const speech = new Int16Array([...sine(500, 600), ...quiet(600)])
    for (let n = 0; n < 20; n++)
      connection.send(Buffer.from(bytesOf(speech).subarray(n * 1_920, (n + 1) * 1_920)), n)
    await until('end')
    await until('ack 19 true')
    expect(events[0]).toBe('ready')
    expect(events).not.toContain('ack 99 true')
    expect(results.some(r => !r.final && r.audio === undefined)).toBe(true)
    const final = results.filter(r => r.final)
    expect(final[0]).toMatchObject({ text: 'en-us 1', translation: 'es-es 1', endMs: 600 })
    expect(final.every(r => r.audio && r.audio.length > 0)).toBe(true)
    expect(service.session?.samples).toBe(19_200)
    expect(service.session?.parameters).toMatchObject({
      languageIdSource: 'en-us',
      languageIdTarget: 'es-es',
      sendAudio: { broadcastVia: 'chunk', codec: 'linear16', sampleRate: 16_000 },
      receiveAudio: { obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode: 'streaming' },
    })
    connection.close()
    await service.session?.ended
  })

  test('captions only: /stt, no target, no audio', async () => {
    const { sink, until, results } = recorder()
    const connection = translator().open({ ...request, want: 'captions' }, sink)
    await until('ready')
    connection.send(Buffer.from(bytesOf(new Int16Array([...sine(500, 600), ...quiet(600)]))), 0)
    await until('result')
    expect(service.session?.namespace).toBe('/stt')
    expect(results.at(-1)?.audio).toBeUndefined()
    connection.close()
  })
})

describe('against a service that misbehaves', () => {
  beforeEach(async () => {
    service = await ScriptedService.listen({ answer: silence })
  })

  async function outcome(more: Parameters<typeof translator>[0] = {}) {
    const r = recorder()
    translator(more).open(request, r.sink)
    await r.until('ended')
    const reason = r.reason()
    return reason?.kind === 'failed' ? reason.error : undefined
  }

  test('a wrong key is final, and is not in the error', async () => {
    const error = await outcome({ apiKey: 'very-secret' })
    expect(error).toMatchObject({ code: 'SERVICE_KEY_REFUSED', retryable: false })
    expect(error?.message).toContain('unauthorized')
    expect(JSON.stringify(error)).not.toContain('very-secret')
  })

  test('keeps the reason that precedes a regular end', async () => {
    const r = recorder()
    translator().open(request, r.sink)
    await r.until('ready')
    service.session?.error({ code: 'bad_language', error: 'no_such_pair', description: 'none\u0000 such' })
    service.session?.drop('kick')
    await r.until('ended')
    expect(r.reason()).toMatchObject({ error: { code: 'SERVICE_REFUSED', retryable: true, backOff: 'slow' } })
    // Only its codes: other fields may quote speech. The whole error is the cause.
    expect(r.events.join()).toContain('the service reports bad_language/no_such_pair')
    expect(r.events.join()).not.toContain('none')
    expect(r.reason()).toMatchObject({ error: { cause: { description: 'none such' } } })
  })

  test('reports a temporary reason too; a broken connection has none', async () => {
    for (const [how, error] of [
      [
        'kick',
        { code: 'SERVICE_REFUSED', retryable: true, message: 'the service reports limit/backlog_full' },
      ],
      ['cut', { code: 'SERVICE_LOST', retryable: true }],
    ] as const) {
      const r = recorder()
      const connection = translator().open(request, r.sink)
      await r.until('ready')
      const session = service.session
      session?.error({ code: 'limit', error: 'backlog_full', description: 'later' })
      await r.until('fault the service reports limit/backlog_full')
      session?.drop(how)
      await r.until('ended')
      expect(r.reason()).toMatchObject({ kind: 'failed', error })
      connection.close()
    }
  })

  test('an old error about data is not the reason for a broken connection', async () => {
    const clock = new FakeClock()
    const r = recorder()
    translator({ clock }).open(request, r.sink)
    await r.until('ready')
    service.session?.error({ code: 'bad_audio', error: 'not_binary', description: 'a fragment is binary' })
    await r.until('fault the service reports bad_audio/not_binary')
    clock.advance(10_000)
    service.session?.drop('cut')
    await r.until('ended')
    expect(r.reason()).toMatchObject({ error: { code: 'SERVICE_LOST', retryable: true } })
  })

  test('acknowledgments of other types accept; only false and errors reject', async () => {
    for (const ackWith of [[], ['true'], ['ok'], [{ ok: true }], [null]]) {
      service.faults.ackWith = ackWith
      const r = recorder()
      const connection = translator().open(request, r.sink)
      await r.until('ready')
      connection.send(Buffer.alloc(1_920), 0)
      await r.until('ack 0 true')
      connection.close()
    }
    for (const ackWith of [[false], [false, true], [{ error: 'busy' }], [{ code: 'bad_audio' }]]) {
      service.faults.ackWith = ackWith
      const r = recorder()
      const connection = translator().open(request, r.sink)
      await r.until('ready')
      connection.send(Buffer.alloc(1_920), 0)
      await r.until('ack 0 false')
      connection.close()
    }
  })

  test('results of every invalid shape do no harm', async () => {
    const r = recorder()
    const connection = translator().open(request, r.sink)
    await r.until('ready')
    const hostile = JSON.parse('{"__proto__":{"text":"x"},"constructor":{"prototype":{"a":1}}}')
    for (const payload of [
      undefined,
      null,
      7,
      'text',
      [],
      [1],
      hostile,
      { text: 5, file: 7 },
      { file: { data: 'SUQz' } },
    ])
      service.session?.emit('result', payload)
    service.session?.emit('result')
    service.session?.emit('result', { text: 'fine', file: { data: Buffer.from([1, 2]) } })
    while (!r.results.some(x => x.text === 'fine')) await new Promise(setImmediate)
    expect(r.results.filter(x => x.audio)).toHaveLength(1)
    // A text alone is always the transcript.
    expect(r.results.flatMap(x => x.text ?? [])).toEqual(['text', 'fine'])
    expect(({} as { a?: number }).a).toBeUndefined()
    connection.close()
  })

  test('leaves no timer', async () => {
    const clock = new FakeClock()
    const r = recorder()
    const connection = translator({ clock }).open(request, r.sink)
    await r.until('ready')
    connection.close()
    connection.close()
    expect(clock.pending).toBe(0)
    expect(r.events.filter(e => e === 'ended')).toHaveLength(1)
  })
})

test('rejects an invalid address at once', async () => {
  service = await ScriptedService.listen()
  expect(() => new ServiceTranslator({ url: 'ftp://x', apiKey: '' })).toThrow('ftp://x')
})
