import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { lost, sessionSetup as setUp } from '../../support/relay/session-harness.ts'

describe('a session rejected by its service', () => {
  /** Drops each new connection with `reason` for `ms`; returns when each was opened (ms). */
  const refuseFor = ({ clock, translator }: ReturnType<typeof setUp>, reason: EndReason, ms: number) => {
    const opened: number[] = []
    const start = clock.now()
    while (clock.now() - start < ms) {
      if (!translator.last.closed) {
        opened.push(clock.now() - start)
        translator.last.drop(reason)
      }
      clock.advance(100)
    }
    return opened
  }
  const no: EndReason = { kind: 'failed', error: new BridgeError('SERVICE_REFUSED', 'unauthorized') }
  const odd: EndReason = {
    kind: 'failed',
    error: new BridgeError('SERVICE_REFUSED', 'internal', { retryable: true, backOff: 'slow' }),
  }

  test.each([
    ['definite', no],
    ['unknown', odd],
  ])('stays open once it was live: %s refusals are retried, after 1 s to 30 s', (_, reason) => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.clock.advance(5_000)
    r.translator.last.drop({ kind: 'failed', error: lost })
    const opened = refuseFor(r, reason, 300_000)
    const waits = opened.slice(1).map((at, n) => at - opened[n]!)
    expect(waits.slice(0, 5).map(ms => Math.round(ms / 1_000))).toEqual([1, 2, 4, 7, 14])
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000)
    expect(r.session.state.status).toBe('waiting')
    expect(r.session.lack).toBeDefined()
    r.clock.advance(30_000)
    r.translator.last.sink.ready()
    expect(r.session.lack).toBeUndefined()
  })

  test('reconnects at once when refused during a call, then with growing delays', () => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.clock.advance(5_000)
    r.translator.last.drop(no)
    r.clock.advance(5)
    expect(r.translator.connections).toHaveLength(2)
    // It accepts each connection and ends it at once, which is not a success.
    for (let n = 0; n < 600; n++) {
      if (!r.translator.last.closed) {
        r.translator.last.sink.ready()
        r.translator.last.drop(odd)
      }
      r.clock.advance(100)
    }
    expect(r.translator.connections.length).toBeLessThan(10)
  })

  test('retries a first connection after an unknown error, but not after a definite one', () => {
    const r = setUp()
    expect(refuseFor(r, odd, 10_000).length).toBeGreaterThanOrEqual(4)
    expect(r.session.lack).toBeDefined()
    refuseFor(r, no, 20_000)
    expect(r.session.state).toEqual({ status: 'ended', reason: no })
  })

  test('an unreachable service after refusals is retried at the fast rate', () => {
    const r = setUp()
    r.translator.last.sink.ready()
    r.clock.advance(5_000)
    r.translator.last.drop(odd)
    refuseFor(r, odd, 60_000)
    r.clock.advance(30_000)
    const opened = refuseFor(r, { kind: 'failed', error: lost }, 10_000)
    const waits = opened.slice(1).map((at, n) => at - opened[n]!)
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000)
  })
})
