import { describe, expect, test } from 'vitest'
import { lost, range, sessionSetup as setUp } from '../../support/relay/session-harness.ts'

describe('a session whose connection is to be replaced', () => {
  test('is replaced in a pause before its end, and no word is lost or repeated', () => {
    const { clock, translator, session, metrics, speak, sent } = setUp()
    const first = translator.last
    first.sink.ready()
    speak(600)
    first.sink.renew?.(30_000)
    speak(600)
    // Someone speaks: there is time.
    expect(translator.connections).toHaveLength(1)
    first.sink.result({ utterance: '1', final: true, text: 'one', endMs: 1_200 })
    speak(0)
    session.check(clock.now())
    expect(translator.connections).toHaveLength(1)
    first.sink.endOfSpeech()
    session.check(clock.now())
    expect(translator.connections).toHaveLength(2)
    translator.last.sink.ready()
    expect(first.closed).toBe(false)
    session.check(clock.now())
    expect(first.closed).toBe(true)
    expect(session.lack).toBeUndefined()
    speak(60)
    expect(sent()).toEqual(range(60, 63))
    expect(metrics).toMatchObject({ sessionsRenewed: 1, sessionsDropped: 0, fragmentsReplayed: 0 })
  })

  test('without a pause is replaced just before its end, and unanswered audio is repeated', () => {
    const { translator, session, metrics, speak, sent } = setUp()
    const first = translator.last
    first.sink.ready()
    first.sink.renew?.(10_000)
    speak(4_800)
    expect(translator.connections).toHaveLength(1)
    speak(300)
    expect(translator.connections).toHaveLength(2)
    translator.last.sink.ready()
    speak(3_600)
    expect(first.closed).toBe(false)
    speak(600)
    expect(first.closed).toBe(true)
    expect(session.state).toMatchObject({ status: 'live', attempt: 1 })
    expect(sent()).toEqual(range(0, 465))
    expect(metrics.lostMs).toBe(0)
  })

  test('switches at once to the standby connection if the active one breaks early', () => {
    const { clock, translator, session, seen } = setUp()
    const first = translator.last
    first.sink.ready()
    first.sink.renew?.(10_000)
    session.check(clock.now())
    const second = translator.last
    expect(second).not.toBe(first)
    second.sink.ready()
    first.drop({ kind: 'failed', error: lost })
    expect(session.lack).toBeUndefined()
    expect(seen).not.toContain('waiting')
    expect(translator.connections).toHaveLength(2)
  })

  test('keeps the current one if the standby fails, and retries later', () => {
    const { clock, translator, session } = setUp()
    translator.last.sink.ready()
    translator.last.sink.renew?.(60_000)
    session.check(clock.now())
    translator.last.drop({ kind: 'failed', error: lost })
    session.check(clock.now())
    expect(translator.connections).toHaveLength(2)
    expect(session.state.status).toBe('live')
    clock.advance(5_000)
    session.check(clock.now())
    expect(translator.connections).toHaveLength(3)
  })
})
