import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { lost, range, sessionSetup as setUp } from '../../support/relay/session-harness.ts'

describe('a session', () => {
  test('sends nothing before the service is ready, then everything', () => {
    const { translator, session, speak, sent } = setUp()
    speak(300)
    expect(translator.last.sent).toHaveLength(0)
    expect(session.lack).toBeUndefined()
    translator.last.sink.ready()
    expect(sent()).toEqual(range(0, 15))
    speak(60)
    expect(sent()).toEqual(range(0, 18))
  })

  test('is unavailable when the first connection takes too long, and recovers when it opens', () => {
    const { translator, session, speak } = setUp()
    speak(1_100)
    expect(session.lack).toBeDefined()
    translator.last.sink.ready()
    expect(session.lack).toBeUndefined()
  })

  test('replays the open sentence on the next connection: acknowledged words without a result are not lost', () => {
    const { clock, translator, session, speak, sent } = setUp()
    translator.last.sink.ready()
    speak(600)
    translator.last.sink.result({ utterance: '1', final: true, text: 'one', endMs: 300 })
    translator.last.sink.endOfSpeech()
    translator.last.drop({ kind: 'failed', error: lost })
    expect(session.lack).toBeDefined()
    speak(120)
    clock.advance(100)
    expect(translator.connections).toHaveLength(2)
    translator.last.sink.ready()
    expect(sent()).toEqual(range(15, 36))
  })

  test('the time of a result counts from its own connection', () => {
    const { clock, translator, speak, sent } = setUp()
    translator.last.sink.ready()
    speak(600)
    translator.last.sink.result({ utterance: '1', final: true, text: 'one', endMs: 300 })
    translator.last.sink.endOfSpeech()
    translator.last.drop({ kind: 'failed', error: lost })
    clock.advance(200)
    translator.last.sink.ready()
    // 300 ms of the second connection are 600 ms of the session.
    translator.last.sink.result({ utterance: '1', final: true, text: 'two', endMs: 300 })
    translator.last.sink.endOfSpeech()
    translator.last.drop({ kind: 'failed', error: lost })
    clock.advance(2_000)
    translator.last.sink.ready()
    speak(60)
    expect(sent()).toEqual(range(30, 33))
  })

  test('a service that stops acknowledging is dropped after the deadline', () => {
    const { translator, session, speak, metrics } = setUp()
    translator.last.sink.ready()
    speak(300)
    translator.last.autoAck = false
    speak(1_300)
    expect(session.lack).toBeUndefined()
    speak(400)
    expect(session.lack).toBeDefined()
    expect(translator.connections[0]?.closed).toBe(true)
    expect(metrics.sessionsDropped).toBe(1)
  })

  test('ignores acknowledgments and results of an old connection', () => {
    const { clock, translator, speak, seen, session } = setUp()
    const old = translator.last
    old.sink.ready()
    speak(300)
    old.drop({ kind: 'failed', error: lost })
    clock.advance(500)
    old.sink.result({ utterance: '1', final: true, text: 'stale' })
    old.sink.acked(0, true)
    old.sink.ready()
    old.sink.ended({ kind: 'failed', error: lost })
    expect(seen).not.toContain('result stale')
    expect(session.state.status).toBe('opening')
    expect(translator.connections).toHaveLength(2)
  })

  test('backs off: at once, then longer each time, never more than a second', () => {
    const { clock, translator, speak } = setUp()
    translator.last.sink.ready()
    speak(3_000)
    const opened: number[] = []
    const start = clock.now()
    for (let n = 0; n < 8; n++) {
      const count = translator.connections.length
      translator.last.drop({ kind: 'failed', error: lost })
      while (translator.connections.length === count) clock.advance(5)
      opened.push(clock.now() - start)
    }
    const waits = opened.map((at, n) => at - (opened[n - 1] ?? 0))
    expect(waits[0]).toBeLessThanOrEqual(5)
    expect(waits.slice(1, 5)).toEqual([75, 150, 300, 600])
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000)
  })

  test('does not retry after a permanent refusal', () => {
    const { clock, translator, session, seen } = setUp()
    translator.last.drop({
      kind: 'failed',
      error: new BridgeError('SERVICE_REFUSED', 'bad_language/unknown'),
    })
    clock.advance(60_000)
    expect(translator.connections).toHaveLength(1)
    expect(session.lack).toBeDefined()
    expect(seen.at(-2)).toBe('ended')
  })

  test('a voice without a reported end is over after 10 s', () => {
    const { clock, translator, session, speak, seen, sent } = setUp()
    translator.last.sink.ready()
    speak(600)
    translator.last.sink.result({ utterance: '1', final: true, text: 'one', endMs: 600 })
    clock.advance(9_900)
    session.check(clock.now())
    expect(seen).not.toContain('end')
    clock.advance(200)
    session.check(clock.now())
    expect(seen).toContain('end')
    translator.last.drop({ kind: 'failed', error: lost })
    clock.advance(1_000)
    translator.last.sink.ready()
    speak(60)
    expect(sent()).toEqual(range(30, 33))
  })

  test('a long voice continues while pieces of it arrive, with or without text', () => {
    const { clock, translator, session, speak, seen } = setUp()
    translator.last.sink.ready()
    speak(600)
    translator.last.sink.result({ utterance: '1', final: true, text: 'one', endMs: 600 })
    for (let ms = 0; ms < 40_000; ms += 2_000) {
      clock.advance(2_000)
      translator.last.sink.result({ utterance: '1', final: true, audio: new Uint8Array(100) })
      session.check(clock.now())
    }
    expect(seen).not.toContain('end')
    clock.advance(10_100)
    session.check(clock.now())
    expect(seen).toContain('end')
  })

  test('the end of one utterance does not complete the next', () => {
    const { clock, translator, speak, sent } = setUp()
    translator.last.sink.ready()
    speak(600)
    translator.last.sink.result({ utterance: '2', final: true, text: 'two', endMs: 600 })
    translator.last.sink.endOfSpeech('1')
    translator.last.drop({ kind: 'failed', error: lost })
    clock.advance(1_000)
    translator.last.sink.ready()
    expect(sent()).toEqual(range(0, 30))
  })

  test('ignores a time ahead of the audio sent', () => {
    const { clock, translator, speak, sent } = setUp()
    translator.last.sink.ready()
    speak(600)
    for (const endMs of [1e15, 660]) {
      translator.last.sink.result({ utterance: `${endMs}`, final: true, text: 'one', endMs })
      translator.last.sink.endOfSpeech()
    }
    translator.last.drop({ kind: 'failed', error: lost })
    clock.advance(1_000)
    translator.last.sink.ready()
    expect(sent()).toEqual(range(0, 30))
  })

  test('a refused fragment is sent again after a pause, and permanent refusal drops the connection', () => {
    const { clock, translator, session, speak } = setUp()
    translator.last.sink.ready()
    translator.last.autoAck = false
    speak(60)
    translator.last.sink.acked(0, false)
    expect(translator.last.sent).toHaveLength(1)
    clock.advance(110)
    session.check(clock.now())
    expect(translator.last.sent.map(s => s.sequence)).toEqual([0, 0])
    for (let n = 0; n < 60; n++) {
      translator.last.sink.acked(0, false)
      if (session.lack !== undefined) break
      clock.advance(110)
      session.check(clock.now())
    }
    expect(session.lack).toBeDefined()
  })

  test('after a refusal, sends one by one, in order, until one is accepted', () => {
    const { clock, translator, session, speak } = setUp()
    translator.last.sink.ready()
    translator.last.autoAck = false
    speak(60)
    translator.last.sink.acked(0, false)
    speak(600)
    const sent = () => translator.last.sent.map(s => s.sequence)
    expect(sent()).toEqual([0, 0])
    translator.last.sink.acked(0, false)
    clock.advance(110)
    session.check(clock.now())
    expect(sent()).toEqual([0, 0, 0])
    translator.last.sink.acked(0, true)
    expect(sent().slice(3)).toEqual(range(1, 11))
  })

  test('a long replay is paced by acknowledgments', () => {
    const { clock, translator, session, speak } = setUp()
    speak(20_000)
    translator.last.autoAck = false
    translator.last.sink.ready()
    expect(translator.last.sent).toHaveLength(25)
    translator.last.sink.acked(0, true)
    expect(translator.last.sent).toHaveLength(26)
    clock.advance(100)
    session.check(clock.now())
    expect(translator.last.sent).toHaveLength(26)
  })

  test('while throttled, a long replay runs at real-time pace, then at full pace', () => {
    const { translator, session, clock, speak } = setUp()
    speak(6_000)
    Object.assign(translator, { throttled: true })
    translator.last.sink.ready()
    expect(translator.last.sent).toHaveLength(1)
    speak(600)
    expect(translator.last.sent.length).toBeLessThan(45)
    Object.assign(translator, { throttled: false })
    session.check(clock.now())
    expect(translator.last.sent).toHaveLength(110)
  })

  test('close is final and idempotent, and leaves no timer', async () => {
    const { clock, translator, session } = setUp()
    translator.last.drop({ kind: 'failed', error: lost })
    await session.close({ kind: 'unused' })
    await expect(session.close({ kind: 'parent-closed' })).resolves.toEqual({ kind: 'unused' })
    clock.advance(10_000)
    expect(translator.connections).toHaveLength(1)
    expect(clock.pending).toBe(0)
    session.write(new Int16Array(FRAME_SAMPLES), false, 0)
  })
})
