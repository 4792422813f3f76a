import { describe, expect, test } from 'vitest'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { lost, range, sessionSetup } from '../../support/relay/session-harness.ts'

/** Fragments of 60 ms. */
const fragments = (ms: number) => ms / 60

test('counts exactly the audio that exceeds the buffer during an outage as lost', () => {
  const s = sessionSetup()
  s.speak(48_000)
  expect(s.metrics.lostMs).toBe(0)
  s.speak(6_000)
  s.clock.advance(1_000)
  s.session.check(s.clock.now())
  expect(s.metrics.lostMs).toBe(6_000)
  s.speak(3_000)
  void s.session.close({ kind: 'hangup', by: 'local' })
  expect(s.metrics.lostMs).toBe(9_000)
})

test('counts it once a second', () => {
  const s = sessionSetup()
  s.session.check(s.clock.now())
  for (let ms = 0; ms < 48_600; ms += 20) s.session.write(new Int16Array(FRAME_SAMPLES), false, s.clock.now())
  s.clock.advance(999)
  s.session.check(s.clock.now())
  expect(s.metrics.lostMs).toBe(0)
  s.clock.advance(1)
  s.session.check(s.clock.now())
  expect(s.metrics.lostMs).toBe(600)
})

test('counts sent and repeated fragments, each time', () => {
  const s = sessionSetup()
  s.translator.last.sink.ready()
  s.translator.last.autoAck = false
  s.speak(600)
  expect([s.metrics.fragmentsSent, s.metrics.fragmentsReplayed]).toEqual([fragments(600), 0])
  s.translator.last.drop({ kind: 'failed', error: lost })
  expect([s.metrics.sessionsDropped, s.metrics.fragmentsReplayed]).toEqual([1, fragments(600)])
  s.clock.advance(1_000)
  s.translator.last.sink.ready()
  expect([s.metrics.fragmentsSent, s.metrics.fragmentsReplayed]).toEqual([fragments(1_200), fragments(600)])
  expect(s.seen).toEqual(['live', 'waiting', 'interrupted', 'opening', 'live'])
})

test('keeps no quiet audio for replay, except the lead-in to speech', () => {
  const s = sessionSetup()
  s.translator.last.sink.ready()
  for (let ms = 0; ms < 5_000; ms += 20) {
    s.session.write(new Int16Array(FRAME_SAMPLES), true, s.clock.now())
    s.clock.advance(20)
    s.session.check(s.clock.now())
  }
  expect(s.session.unused).toBe(true)
  s.translator.last.drop({ kind: 'failed', error: lost })
  s.clock.advance(1_000)
  s.translator.last.sink.ready()
  // 300 ms, plus audio since the last check: once a second.
  expect(s.translator.last.sent.length).toBeLessThanOrEqual(fragments(300 + 1_020))
  expect(s.translator.last.sent.length).toBeGreaterThanOrEqual(fragments(300))
})

test('a first connection has one second before the original plays; a lost live session, none', () => {
  const s = sessionSetup()
  s.clock.advance(1_000)
  expect(s.session.lack).toBeUndefined()
  s.clock.advance(1)
  expect(s.session.lack).toBeDefined()
  s.translator.last.sink.ready()
  expect(s.session.lack).toBeUndefined()
  s.translator.last.drop({ kind: 'failed', error: lost })
  expect(s.session.lack).toBeDefined()
  s.clock.advance(1_000)
  expect([s.session.state.status, s.session.lack]).toEqual(['opening', 'no-connection'])
  void s.session.close({ kind: 'hangup', by: 'local' })
  expect(s.session.open).toBe(false)
  expect([s.session.lack, s.metrics.sessionsOpened, s.metrics.sessionsEnded]).toEqual(['refused', 1, 1])
})

test.each([
  [1_500, 'live'],
  [1_501, 'waiting'],
])('a fragment that waits %d ms for its acknowledgment: %s', (waitMs, status) => {
  const s = sessionSetup()
  s.translator.last.sink.ready()
  s.translator.last.autoAck = false
  for (let n = 0; n < 3; n++) s.session.write(new Int16Array(FRAME_SAMPLES), false, s.clock.now())
  s.clock.advance(waitMs)
  s.session.check(s.clock.now())
  expect(s.session.state.status).toBe(status)
})

test('reports results and ends of voices in order, and none after the end', () => {
  const s = sessionSetup()
  const { sink } = s.translator.last
  sink.ready()
  sink.result({ utterance: '1', final: true, text: 'a' })
  sink.endOfSpeech('1')
  void s.session.close({ kind: 'hangup', by: 'local' })
  sink.result({ utterance: '2', final: true, text: 'b' })
  s.session.write(new Int16Array(FRAME_SAMPLES), false, 0)
  void s.session.close({ kind: 'hangup', by: 'remote' })
  expect(s.seen).toEqual(['live', 'result a', 'end', 'ended', 'interrupted'])
  expect(s.session.state).toEqual({ status: 'ended', reason: { kind: 'hangup', by: 'local' } })
})

describe('the memory of a session', () => {
  test('returns its fragments to the pool when it ends, and takes no more', () => {
    const s = sessionSetup()
    s.speak(3_000)
    expect(s.pool.lent).toBe(50)
    void s.session.close({ kind: 'unused' })
    expect(s.pool.lent).toBe(0)
    for (let n = 0; n < 30; n++) s.session.write(new Int16Array(FRAME_SAMPLES), false, s.clock.now())
    expect(s.pool.lent).toBe(0)
  })

  test('in a captions session, a final result covers the audio without an end of speech', () => {
    const s = sessionSetup({ want: 'captions' })
    s.translator.last.sink.ready()
    s.speak(600)
    s.translator.last.sink.result({ utterance: '1', final: true, text: 'one', endMs: 300 })
    s.translator.last.drop({ kind: 'failed', error: lost })
    s.clock.advance(1_000)
    s.translator.last.sink.ready()
    expect(s.sent()).toEqual(range(15, 30))
  })

  test('reports lost speech at once; the metric follows when it ends', () => {
    const s = sessionSetup()
    s.speak(48_000)
    s.speak(600)
    expect(s.session.lostMs).toBe(600)
    s.speak(60)
    void s.session.close({ kind: 'unused' })
    expect(s.metrics.lostMs).toBe(660)
  })
})

describe('whether a session was used', () => {
  test('quiet frames leave it unused', () => {
    const s = sessionSetup()
    s.session.write(new Int16Array(FRAME_SAMPLES), true, 0)
    expect(s.session.unused).toBe(true)
  })

  test('one frame of speech uses it, even if quiet frames follow', () => {
    const s = sessionSetup()
    s.session.write(new Int16Array(FRAME_SAMPLES), false, 0)
    s.session.write(new Int16Array(FRAME_SAMPLES), true, 0)
    expect(s.session.unused).toBe(false)
  })

  test('a result uses it', () => {
    const s = sessionSetup()
    s.translator.last.sink.ready()
    s.translator.last.sink.result({ utterance: '1', final: false, text: 'one' })
    expect(s.session.unused).toBe(false)
  })
})

test('is on the fallback service if its connection is; without one, if the next would be', () => {
  const s = sessionSetup()
  expect(s.session.onFallback).toBe(false)
  s.translator.onFallback = true
  expect(s.session.onFallback).toBe(true)
  s.translator.last.sink.ready(undefined, false)
  expect(s.session.onFallback).toBe(false)
  s.translator.onFallback = false
  s.translator.last.drop({ kind: 'failed', error: lost })
  s.clock.advance(1_000)
  expect(s.session.onFallback).toBe(false)
  s.translator.last.sink.ready(undefined, true)
  expect(s.session.onFallback).toBe(true)
})
