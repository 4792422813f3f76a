import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RateLimitedDialer } from '../../../src/core/calls/dialer-policies.ts'
import type { DialEnd, Dialer, DialOutcome, DialRequest } from '../../../src/core/model/dialer.ts'

const MINUTE_MS = 60_000

/** A dialer whose calls are answered at once and do not end. */
function rationed(ration: Partial<ConstructorParameters<typeof RateLimitedDialer>[1]> = {}) {
  const clock = new FakeClock()
  const dialed: string[] = []
  const inner: Dialer = {
    dial({ to }: DialRequest) {
      dialed.push(to)
      const outcome: Promise<DialOutcome> = Promise.resolve({ kind: 'answered', participant: 'p' })
      const over = new Promise<DialEnd>(() => {})
      return { id: `${dialed.length}`, outcome, over, hangUp: async () => {} }
    },
  }
  const limits = {
    maxCallsPerMinute: 5,
    maxCallsPerHourPerDestination: 3,
    known: ['+12125550123'],
    ...ration,
  }
  const dialer = new RateLimitedDialer(inner, limits, clock)
  const faults: { code: string; message: string; retryable: boolean }[] = []
  const dial = (to: string) => {
    try {
      dialer.dial({ to, invitation: { room: 'r' } })
      return 'dialed'
    } catch (error) {
      faults.push(error as (typeof faults)[number])
      return (error as { code: string }).code
    }
  }
  return { clock, dialer, dial, dialed, faults }
}

describe('calls out', () => {
  test('are limited per minute', () => {
    const { clock, dialer, dial } = rationed()
    const tried = Array.from({ length: 8 }, (_, n) => dial(`+3461111111${n}`))
    expect(tried).toEqual([...Array(5).fill('dialed'), ...Array(3).fill('CAPACITY')])
    clock.advance(MINUTE_MS)
    expect(dial('+34611111119')).toBe('dialed')
    expect(dialer.refused).toBe(3)
  })

  test('are limited per hour and destination, except for known destinations', () => {
    const { clock, dial, dialed } = rationed({ maxCallsPerMinute: 1_000 })
    const four = () => [1, 2, 3, 4].map(() => dial('+34611111111'))
    expect(four()).toEqual(['dialed', 'dialed', 'dialed', 'DIAL_REFUSED'])
    expect(dial('+34622222222')).toBe('dialed')
    for (let n = 0; n < 50; n++) expect(dial('+12125550123')).toBe('dialed')
    clock.advance(60 * MINUTE_MS)
    expect(four()).toEqual(['dialed', 'dialed', 'dialed', 'DIAL_REFUSED'])
    expect(dialed).toHaveLength(57)
  })
  test('count individually, for exactly a minute or an hour', () => {
    const { clock, dial } = rationed({ maxCallsPerMinute: 2, maxCallsPerHourPerDestination: 2 })
    expect(dial('+34611111111')).toBe('dialed')
    clock.advance(30_000)
    expect([dial('+34622222222'), dial('+34633333333')]).toEqual(['dialed', 'CAPACITY'])
    clock.advance(30_000)
    // The first has left the minute, the second has not.
    expect([dial('+34611111111'), dial('+34633333333')]).toEqual(['dialed', 'CAPACITY'])
    clock.advance(59 * MINUTE_MS - 1)
    expect(dial('+34611111111')).toBe('DIAL_REFUSED')
    clock.advance(1)
    expect(dial('+34611111111')).toBe('dialed')
    expect(dial('+34611111111')).toBe('DIAL_REFUSED')
  })

  test('report if a later retry can succeed; known destinations count per minute only', () => {
    const { dial, faults } = rationed({ maxCallsPerMinute: 2, maxCallsPerHourPerDestination: 1 })
    expect([dial('+12125550123'), dial('+12125550123'), dial('+12125550123')]).toEqual([
      'dialed',
      'dialed',
      'CAPACITY',
    ])
    const each = rationed({ maxCallsPerMinute: 9, maxCallsPerHourPerDestination: 1 })
    expect([each.dial('+34611111111'), each.dial('+34611111111')]).toEqual(['dialed', 'DIAL_REFUSED'])
    expect([...faults, ...each.faults].map(({ message, retryable }) => [message, retryable])).toEqual([
      ['limit of 2 calls per minute reached', true],
      ['limit of 1 calls per hour to this destination reached', false],
    ])
  })
})
