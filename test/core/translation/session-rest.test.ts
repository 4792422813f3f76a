import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { PlaceUser } from '../../../src/core/translation/session-places.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { lost, sessionSetup } from '../../support/relay/session-harness.ts'

/** A session with a service that answers everything said so far on request. */
function setUp() {
  const r = sessionSetup()
  const frame = new Int16Array(FRAME_SAMPLES)
  const hush = (ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      r.session.write(frame, true, r.clock.now())
      r.clock.advance(20)
      r.session.check(r.clock.now())
    }
  }
  const ackAll = () => {
    for (const { sequence } of r.translator.last.sent) r.translator.last.sink.acked(sequence, true)
  }
  const answer = (endMs: number) => {
    ackAll()
    r.translator.last.sink.result({ utterance: 'a', final: true, text: 'hello', endMs })
    r.translator.last.sink.endOfSpeech('a')
  }
  /** Another session waits in line for a place: whoever asks now comes after it. */
  const lineUp = () => {
    const request = { from: 'de-de', to: 'es-es' } as const
    const other: PlaceUser = { request, spokeAt: 0, yieldPlace: () => false, tryPlace() {}, noPlace() {} }
    r.places.refused(other)
  }
  return { ...r, hush, ackAll, answer, lineUp }
}

describe('a session whose speaker is silent', () => {
  test('gives its connection up after a minute, and begins with the newest second when they speak again', () => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.speak(1_200)
    r.hush(200)
    r.answer(1_200)
    r.hush(58_000)
    expect([r.session.open, r.translator.last.closed]).toEqual([true, false])
    r.seen.length = 0
    for (let n = 0; n < 100; n++) {
      r.ackAll()
      r.hush(20)
    }
    expect(r.seen).toEqual(['idle', 'interrupted'])
    expect([r.session.open, r.translator.last.closed, r.metrics.sessionsEnded]).toEqual([false, true, 1])
    r.hush(5_000)
    expect(r.translator.connections).toHaveLength(1)
    r.speak(60)
    expect([r.session.open, r.translator.connections.length]).toEqual([true, 2])
    r.translator.last.sink.ready()
    r.clock.advance(100)
    r.session.check(r.clock.now())
    // A second, in whole fragments of up to 180 ms, and the new words.
    const frames = r.translator.last.sent.reduce((sum, { bytes }) => sum + bytes.length / 640, 0)
    expect(frames).toBeGreaterThanOrEqual(50)
    expect(frames).toBeLessThanOrEqual(65)
    expect(r.session.lostMs).toBe(0)
  })

  test('keeps its connection for exactly a minute', () => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.speak(600)
    r.hush(200)
    r.answer(600)
    r.clock.advance(r.session.spokeAt + 60_000 - 1 - r.clock.now())
    r.session.check(r.clock.now())
    expect(r.session.open).toBe(true)
    r.clock.advance(1)
    r.session.check(r.clock.now())
    expect(r.session.open).toBe(false)
  })

  test('keeps trying while it has no connection', () => {
    const r = setUp()
    r.clock.advance(60_000)
    r.session.check(r.clock.now())
    expect(r.session.yieldPlace(r.clock.now())).toBe(false)
    expect(r.session.state.status).toBe('opening')
  })

  test('yields its place only if no word is waiting for an answer', () => {
    const r = setUp()
    expect(r.session.yieldPlace(r.clock.now())).toBe(false)
    r.translator.last.sink.ready()
    r.speak(600)
    r.hush(1_500)
    expect(r.session.yieldPlace(r.clock.now())).toBe(false)
    r.ackAll()
    r.translator.last.sink.result({ utterance: 'a', final: true, text: 'hello', endMs: 600 })
    // Its voice is arriving, for longer than an answer is expected to take.
    for (let ms = 0; ms < 6_000; ms += 1_000) {
      r.hush(1_000)
      r.ackAll()
      expect(r.session.yieldPlace(r.clock.now())).toBe(false)
    }
    r.translator.last.sink.endOfSpeech('a')
    expect(r.session.yieldPlace(r.clock.now())).toBe(true)
    expect([r.session.state.status, r.translator.last.closed]).toEqual(['idle', true])
  })

  test('yields it, too, if the service has not answered for five seconds', () => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.speak(600)
    for (let ms = 0; ms < 4_800; ms += 100) {
      r.ackAll()
      r.hush(100)
    }
    expect(r.session.yieldPlace(r.clock.now())).toBe(false)
    r.ackAll()
    const { spokeAt } = r.session
    expect(r.session.yieldPlace(spokeAt + 4_999)).toBe(false)
    expect(r.session.yieldPlace(spokeAt + 5_000)).toBe(true)
    // The next words do not bring the old ones back.
    r.session.wake(r.clock.now())
    r.translator.last.sink.ready()
    expect(r.sent().length).toBeGreaterThan(10)
    expect(r.sent().every(frame => frame === 0)).toBe(true)
    expect(r.metrics.fragmentsReplayed).toBe(0)
  })

  test('waits for the whole five seconds on the present connection', () => {
    const r = setUp()
    r.speak(600)
    r.hush(5_000)
    r.translator.last.sink.ready()
    expect(r.session.yieldPlace(r.clock.now() + 4_999)).toBe(false)
    expect(r.session.yieldPlace(r.clock.now() + 5_000)).toBe(true)
  })
})

describe('the line for places', () => {
  test('a speaker who begins to speak lines up', () => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.clock.advance(1_000)
    expect(r.session.yieldPlace(r.clock.now())).toBe(true)
    r.lineUp()
    r.session.wake(r.clock.now())
    expect([r.session.state.status, r.translator.connections.length]).toEqual(['opening', 1])
  })

  test('and after a failed attempt', () => {
    const r = setUp()
    r.lineUp()
    r.translator.last.drop({ kind: 'failed', error: lost })
    r.clock.advance(1_000)
    expect([r.session.state.status, r.translator.connections.length]).toEqual(['opening', 1])
  })

  test('a speaker who was translated gets a new connection at once, for the rest of the sentence', () => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.lineUp()
    r.translator.last.drop({ kind: 'failed', error: lost })
    r.clock.advance(1_000)
    expect([r.session.state.status, r.translator.connections.length]).toEqual(['opening', 2])
  })
})

describe('a session without a place', () => {
  test('waits for one while its speaker has something to say, and says so once', () => {
    const r = setUp()
    r.speak(120)
    r.session.noPlace(r.clock.now())
    expect([r.session.state.status, r.session.lack, r.session.open]).toEqual(['queued', 'no-place', true])
    r.session.noPlace(r.clock.now())
    expect(r.log.complaints.filter(line => /no free session.*anna/.test(line))).toHaveLength(1)
    // The words wait.
    r.hush(3_000)
    expect(r.session.state.status).toBe('queued')
    r.session.tryPlace()
    r.translator.last.sink.ready()
    r.hush(60)
    expect(r.sent().slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('gives up if its speaker said nothing for a second', () => {
    const r = setUp()
    r.clock.advance(999)
    r.session.noPlace(r.clock.now())
    expect(r.session.state.status).toBe('queued')
    r.clock.advance(1)
    r.session.check(r.clock.now())
    expect([r.session.state.status, r.session.lack]).toEqual(['idle', undefined])
    r.session.wake(r.clock.now())
    r.clock.advance(1_000)
    r.session.noPlace(r.clock.now())
    expect(r.session.state.status).toBe('idle')
  })

  test('starts with short delays when its speaker speaks again', () => {
    const r = setUp()
    const refused = new BridgeError('SERVICE_REFUSED', 'no', { retryable: true, backOff: 'slow' })
    const refuse = () => {
      r.translator.last.drop({ kind: 'failed', error: refused })
      const { state } = r.session
      const waitMs = state.status === 'waiting' ? state.until - r.clock.now() : Number.NaN
      r.clock.advance(waitMs)
      return waitMs
    }
    const first = refuse()
    expect(first).toBeGreaterThan(0)
    expect(refuse()).toBeGreaterThan(first)
    r.session.noPlace(r.clock.now())
    expect(r.session.state.status).toBe('idle')
    r.session.wake(r.clock.now())
    expect(refuse()).toBe(first)
  })
})
