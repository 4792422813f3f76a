import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { lost, range, sessionSetup as setUp } from '../../support/relay/session-harness.ts'

const RETRYING = 'service connection lost, retrying'

/** Codes of the connections that the log reports as lost. */
const codes = ({ log }: ReturnType<typeof setUp>) =>
  log.all.filter(({ message }) => message === RETRYING).map(({ fields }) => fields.code)

describe('connection errors of a session', () => {
  test('logs a lost connection and the first failed attempt to reconnect, but no further attempts', () => {
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
    expect(s.metrics.sessionsDropped).toBe(6)
  })

  test('reconnects after the service closes the connection normally', () => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.speak(3_000)
    s.translator.last.drop({ kind: 'hangup', by: 'remote' })
    expect(s.log.all[0]?.fields).toEqual({ speaker: 'anna', code: 'SERVICE_LOST', error: 'hangup' })
    s.clock.advance(1_000)
    expect(s.translator.connections).toHaveLength(2)
  })

  test.each([
    ['closes it', (s: ReturnType<typeof setUp>) => s.translator.last.drop({ kind: 'hangup', by: 'remote' })],
    [
      'acknowledges nothing',
      (s: ReturnType<typeof setUp>) => {
        s.clock.advance(1_501)
        s.session.check(s.clock.now())
      },
    ],
  ])('reconnects within a tenth of a second to a service that %s soon', (_what, fail) => {
    const s = setUp()
    s.translator.last.sink.ready()
    s.translator.last.autoAck = false
    s.speak(60)
    fail(s)
    s.clock.advance(100)
    expect([s.session.state.status, s.translator.connections.length]).toEqual(['opening', 2])
  })

  test('retries if the service closes the first connection normally', () => {
    const s = setUp()
    s.translator.last.drop({ kind: 'hangup', by: 'remote' })
    expect(s.session.state.status).toBe('waiting')
  })

  test('logs how long the service has not acknowledged', () => {
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

  test('drops a connection that refuses audio for more than five seconds', () => {
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
    s.speak(600)
    s.clock.advance(1_000)
    expect(s.translator.connections).toHaveLength(2)
    // The next connection gets everything at once.
    s.translator.last.autoAck = false
    s.translator.last.sink.ready()
    expect(s.translator.last.sent).toHaveLength(11)
  })

  test('logs a permanent refusal as an error and ends with its reason', async () => {
    const s = setUp()
    const error = new BridgeError('SERVICE_REFUSED', 'bad_language/unknown')
    s.translator.last.drop({ kind: 'failed', error })
    expect(s.log.all).toEqual([
      {
        level: 'error',
        message: 'service refused the session',
        fields: {
          speaker: 'anna',
          from: 'en-us',
          to: 'es-es',
          code: 'SERVICE_REFUSED',
          error: 'bad_language/unknown',
        },
      },
    ])
    await expect(s.session.ended).resolves.toEqual({ kind: 'failed', error })
  })

  test('logs an error that the service reports, and continues', () => {
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
  test('an exception in a result handler ends neither the session nor its connection', () => {
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

  test('an exception while sending ends the connection, and the audio is sent on the next one', () => {
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

  test('an exception while closing does not prevent the end of the session', () => {
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
  expect(s.metrics.sessionsDropped).toBe(0)
  expect(s.metrics.fragmentsReplayed).toBe(20)
  expect(s.sent()).toEqual(range(0, 60))
})

test('a first attempt that fails makes the session unavailable without waiting for the time limit', () => {
  const s = setUp()
  s.translator.last.drop({ kind: 'failed', error: lost })
  s.clock.advance(100)
  expect(s.session.state).toMatchObject({ status: 'opening', attempt: 2 })
  expect(s.session.lack).toBeDefined()
})
