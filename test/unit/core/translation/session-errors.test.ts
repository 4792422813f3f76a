import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../../src/common/errors.ts'
import { FRAME_SAMPLES } from '../../../../src/transcode/pcm.ts'
import { lost, range, sessionSetup as setUp } from '../../../harness/relay/session-harness.ts'

const RETRYING = 'service connection lost, retrying'

/** Codes of the connections that the log reports as lost. */
const codes = ({ log }: ReturnType<typeof setUp>) =>
  log.all.filter(({ message }) => message === RETRYING).map(({ fields }) => fields.code)

describe('what a session reports', () => {
  test('a lost connection: once, and once more if the next attempt fails, not for every attempt', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.speak(3_000)
    s.translator.last.drop({ kind: 'failed', error: lost })
    expect(s.log.all).toEqual([
      { level: 'warn', message: RETRYING, fields: { speaker: 'anna', code: 'SERVICE_LOST', error: 'gone' } },
    ])
    for (let attempt = 2; attempt <= 6; attempt++) {
      s.clock.advance(1_000)
      s.translator.last.drop({ kind: 'failed', error: lost })
    }
    expect(s.log.all).toHaveLength(2)
    expect(s.session.drops).toBe(6)
    expect(s.metrics.sessionsDropped).toBe(6)
  })

  test('a connection that ends regularly, such as by the service, is lost as well and opened again', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.speak(3_000)
    s.translator.last.drop({ kind: 'hangup', by: 'remote' })
    expect(s.log.all[0]?.fields).toEqual({ speaker: 'anna', code: 'SERVICE_LOST', error: 'hangup' })
    s.clock.advance(1_000)
    expect(s.translator.connections).toHaveLength(2)
  })

  test('a first connection that ends regularly is no refusal', () => {
    const s = setUp()
    s.translator.last.drop({ kind: 'hangup', by: 'remote' })
    expect(s.session.state.status).toBe('waiting')
  })

  test('a service that stops acknowledging, with the time', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.speak(300)
    s.translator.last.autoAck = false
    s.speak(1_640)
    expect(s.log.all[0]?.fields).toEqual({
      speaker: 'anna',
      code: 'SERVICE_SILENT',
      error: 'no ack for 1520 ms',
    })
    // Its speech waits for the next connection.
    s.clock.advance(100)
    s.translator.last.sink.ready()
    expect(s.sent().slice(0, 3)).toEqual(range(0, 3))
  })

  test('a connection that refuses audio continuously', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.translator.last.autoAck = false
    s.speak(60)
    s.translator.last.sink.acked(0, false)
    s.clock.advance(5_000)
    s.translator.last.sink.acked(0, false)
    expect(s.session.state.status).toBe('live')
    s.clock.advance(1)
    s.translator.last.sink.acked(0, false)
    expect(s.session.state.status).toBe('waiting')
    expect(s.log.all[0]?.fields).toEqual({
      speaker: 'anna',
      code: 'SERVICE_REFUSED',
      error: 'the service continuously refuses audio',
    })
    s.clock.advance(1_000)
    expect(s.translator.connections).toHaveLength(2)
  })

  test('a permanent refusal, as an error, and ends with its reason', async () => {
    const s = setUp()
    const error = new BridgeError('SERVICE_REFUSED', 'bad_language/unknown')
    s.translator.last.drop({ kind: 'failed', error })
    expect(s.log.all).toEqual([
      {
        level: 'error',
        message: 'service refused the session',
        fields: { speaker: 'anna', code: 'SERVICE_REFUSED', error: 'bad_language/unknown' },
      },
    ])
    await expect(s.session.ended).resolves.toEqual({ kind: 'failed', error })
  })

  test('an error that the service reports, and continues', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.translator.last.sink.fault(new BridgeError('SERVICE_PROTOCOL', 'engine failed'))
    expect(s.log.all).toEqual([
      {
        level: 'warn',
        message: 'service reported an error',
        fields: { speaker: 'anna', code: 'SERVICE_PROTOCOL', error: 'engine failed' },
      },
    ])
    expect(s.session.state.status).toBe('live')
  })
})

describe('exceptions around a session', () => {
  test('one in a handler of results ends neither the session nor its connection', () => {
    const s = setUp({
      onResult: () => {
        throw new TypeError('no such listener')
      },
    })
    s.translator.last.sink.ready()
    s.translator.last.sink.result({ utterance: '1', final: true, text: 'one' })
    s.translator.last.sink.result({ utterance: '2', final: true, text: 'two' })
    expect(s.seen).toEqual(['live', 'result one', 'result two'])
    expect(s.metrics.faultsContained).toBe(2)
    expect(s.log.all).toMatchObject([
      {
        level: 'error',
        message: 'service connection failed',
        fields: { speaker: 'anna', reason: 'no such listener' },
      },
    ])
  })

  test('one in the connection that sends ends this connection, and its audio is sent on the next', () => {
    const s = setUp()
    const first = s.translator.last
    first.sink.ready()
    first.send = () => {
      throw new TypeError('socket without a buffer')
    }
    s.speak(60)
    expect(s.session.state.status).toBe('waiting')
    expect(codes(s)).toEqual(['SERVICE_LOST'])
    expect(first.closed).toBe(true)
    s.clock.advance(1_000)
    s.translator.last.sink.ready()
    expect(s.sent()).toEqual(range(0, 3))
  })

  test('one while it is closed', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.translator.last.close = () => {
      throw new TypeError('already gone')
    }
    void s.session.close({ kind: 'unused' })
    expect(s.session.state.status).toBe('ended')
    expect(s.metrics.faultsContained).toBe(1)
  })
})

describe('the memory of a session', () => {
  test('returns its audio to the pool at the end, and takes no more', () => {
    const s = setUp()
    s.speak(3_000)
    expect(s.pool.lent).toBe(50)
    void s.session.close({ kind: 'unused' })
    expect(s.pool.lent).toBe(0)
    for (let n = 0; n < 30; n++) s.session.write(new Int16Array(FRAME_SAMPLES), false, s.clock.now())
    expect(s.pool.lent).toBe(0)
  })

  test('a session for captions needs no end of a voice: a final result alone answers its audio', () => {
    const s = setUp({ want: 'captions' })
    s.translator.last.sink.ready()
    s.speak(600)
    s.translator.last.sink.result({ utterance: '1', final: true, text: 'one', endMs: 300 })
    s.translator.last.drop({ kind: 'failed', error: lost })
    s.clock.advance(1_000)
    s.translator.last.sink.ready()
    expect(s.sent()).toEqual(range(15, 30))
  })

  test('tells how much speech it lost, before the check that counts it as well', () => {
    const s = setUp()
    s.speak(48_000)
    s.speak(600)
    expect(s.session.lostMs).toBe(600)
    s.speak(60)
    void s.session.close({ kind: 'unused' })
    expect(s.metrics.lostMs).toBe(660)
  })
})

describe('whether a session was used', () => {
  test('not by quiet frames', () => {
    const s = setUp()
    s.session.write(new Int16Array(FRAME_SAMPLES), true, 0)
    expect(s.session.unused).toBe(true)
  })

  test('by one frame of speech, even if quiet frames follow', () => {
    const s = setUp()
    s.session.write(new Int16Array(FRAME_SAMPLES), false, 0)
    s.session.write(new Int16Array(FRAME_SAMPLES), true, 0)
    expect(s.session.unused).toBe(false)
  })

  test('by a result', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.translator.last.sink.result({ utterance: '1', final: false, text: 'one' })
    expect(s.session.unused).toBe(false)
  })
})

test('a connection replaced in time interrupts the utterances in progress and repeats unanswered audio', () => {
  const s = setUp()
  const first = s.translator.last
  first.sink.ready()
  first.sink.renew?.(6_000)
  s.speak(1_200)
  s.translator.last.sink.ready()
  first.drop({ kind: 'failed', error: lost })
  expect(s.seen).toEqual(['live', 'interrupted', 'live'])
  expect(s.session.state.status).toBe('live')
  expect(s.session.drops).toBe(0)
  expect(s.metrics.fragmentsReplayed).toBe(20)
  expect(s.sent()).toEqual(range(0, 60))
})

test('a first attempt that fails makes the session unavailable without waiting for the time limit', () => {
  const s = setUp()
  s.translator.last.drop({ kind: 'failed', error: lost })
  s.clock.advance(100)
  expect(s.session.state).toMatchObject({ status: 'opening', attempt: 2 })
  expect(s.session.unavailable).toBe(true)
})
