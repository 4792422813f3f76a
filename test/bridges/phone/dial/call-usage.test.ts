import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../../../simulator/fakes/fake-leg.ts'
import { CarrierDialer } from '../../../../src/bridges/phone/index.ts'
import { inputOf } from '../../../../src/bridges/phone/markup/call-form.ts'
import { CallUsage, type UsageLimits } from '../../../../src/bridges/phone/outbound/usage-limits.ts'
import { LogLines } from '../../../support/log-lines.ts'
import { FakeCarrierApi } from '../../../support/phone/fake-carrier-api.ts'
import { settled } from '../../../support/phone/outbound-call-harness.ts'

const ANA = '+34600111222'
const BOB = '+34600333444'
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Starts at ten in the morning of an arbitrary day. */
function minutes(limits: UsageLimits) {
  const clock = new FakeClock()
  const began = 20_000 * DAY_MS + 10 * 60 * MINUTE_MS
  const all = new CallUsage(limits, clock, () => began + clock.now())
  const call = (id: string, to: string, ms: number, by?: string) => {
    all.placed(id, to, by)
    all.pickedUp(id)
    clock.advance(ms)
    all.over(id)
  }
  return { clock, all, call }
}

describe('the minutes of outbound calls', () => {
  it('are counted from the answer, rounded up, in total and by number', () => {
    const { all, call } = minutes({ maxMinutesPerDay: 10, maxMinutesPerNumber: 4 })
    call('1', ANA, 1_000)
    call('2', ANA, MINUTE_MS + 1)
    expect([all.minutes, all.left(ANA), all.left(BOB)]).toEqual([3, 1, 4])
    call('3', BOB, 3 * MINUTE_MS)
    call('4', '+4420', 3 * MINUTE_MS)
    expect([all.minutes, all.left(ANA), all.left(BOB), all.left('+4421')]).toEqual([9, 1, 1, 1])
    call('5', '+4421', 1)
    expect([all.left(ANA), all.left('+4422')]).toEqual([0, 0])
  })

  it('include calls in progress, and a ringing call as one minute', () => {
    const { clock, all } = minutes({ maxMinutesPerDay: 10 })
    all.placed('1', ANA)
    clock.advance(5 * MINUTE_MS)
    expect(all.left(BOB)).toBe(9)
    all.pickedUp('1')
    clock.advance(5 * MINUTE_MS + 1)
    expect(all.left(BOB)).toBe(4)
    all.placed('2', BOB)
    all.over('2')
    expect(all.left(BOB)).toBe(4)
  })

  it('are reset on the next day, except those of calls in progress', () => {
    const { clock, all, call } = minutes({ maxMinutesPerDay: 100 })
    call('1', ANA, 30 * MINUTE_MS)
    clock.advance(13 * 60 * MINUTE_MS)
    expect(all.minutes).toBe(30)
    all.placed('2', BOB)
    all.pickedUp('2')
    clock.advance(60 * MINUTE_MS)
    expect(all.minutes).toBe(60)
    all.over('2')
    expect([all.minutes, all.left(ANA)]).toEqual([60, 40])
  })

  it('are unlimited without settings', () => {
    const { all, call } = minutes({})
    call('1', ANA, 1_000 * MINUTE_MS)
    expect(all.left(ANA)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('the cost of outbound calls', () => {
  const prices = { '+34': 0.1, '+346': 0.3, '+44': 0.07 }

  it('uses the longest matching prefix, in total, by number and by key', () => {
    const { all, call } = minutes({ prices, maxSpendPerDay: 2, maxSpendPerNumber: 0.9, maxSpendPerKey: 1 })
    expect([all.left(ANA), all.left('+34911'), all.left('+4420', 'desk')]).toEqual([3, 9, 12])
    call('1', ANA, 2 * MINUTE_MS, 'desk')
    expect(all.spend).toBeCloseTo(0.6)
    expect([all.left(ANA), all.left(BOB), all.left(BOB, 'desk'), all.left(BOB, 'shop')]).toEqual([1, 3, 1, 3])
    call('2', BOB, 3 * MINUTE_MS)
    call('3', '+4420', 7 * MINUTE_MS)
    expect(all.spend).toBeCloseTo(1.99)
    expect([all.left(ANA), all.left('+34911'), all.left('+4421')]).toEqual([0, 0, 0])
  })

  it('is unknown without a price, so such calls are rejected below a ceiling', () => {
    const { all } = minutes({ prices, maxSpendPerDay: 2 })
    expect(all.left('+4930')).toBe(0)
    expect(minutes({ prices }).all.left('+4930')).toBe(Number.POSITIVE_INFINITY)
  })

  it.each([
    ['minutes', { maxMinutesPerDay: 10 }, 10],
    ['money', { prices, maxSpendPerDay: 3 }, 10],
    ['of one number', { maxMinutesPerNumber: 10 }, 10],
    ['of one key', { prices, maxSpendPerKey: 3 }, 10],
    ['the strictest', { prices, maxSpendPerKey: 3, maxMinutesPerDay: 7, maxMinutesPerNumber: 9 }, 7],
  ])('and minutes: concurrent calls together stay below a ceiling: %s', (_what, limits, most) => {
    const { clock, all } = minutes(limits)
    for (const id of ['1', '2', '3', '4']) {
      all.placed(id, ANA, 'desk')
      all.pickedUp(id)
      clock.advance(10_000)
    }
    const ended: string[] = []
    for (let s = 0; s < 1_200; s++) {
      for (const id of all.exceeding()) {
        ended.push(id)
        all.over(id)
      }
      expect(all.minutes).toBeLessThanOrEqual(most)
      clock.advance(1_000)
    }
    // The whole allowance is used.
    expect(all.minutes).toBe(most)
    expect(ended).toHaveLength(4)
  })
})

describe('a dialer with a ceiling', () => {
  it('hangs up a call that would exceed the quota, and leaves others alone', async () => {
    const clock = new FakeClock()
    const api = new FakeCarrierApi()
    const settings = { from: '+15005550001', allowedPrefixes: ['+34'] }
    const limits = { prices: { '+34': 0.5 }, maxSpendPerDay: 2, machineDetection: false }
    const dialer = new CarrierDialer({ ...settings, ...limits }, { clock, api, wallClock: () => clock.now() })
    dialer.attach({ url: path => `https://b/${path}`, release() {} })
    const talk = async (callSid: string) => {
      const { id } = dialer.dial({ to: ANA, invitation: { room: 'r' }, by: 'desk' })
      await settled()
      dialer.get(id)?.told(callSid, inputOf('in-progress'))
      dialer.get(id)?.arrived(new FakeLeg(callSid))
      return dialer.get(id)!
    }
    const [first, second] = [await talk('CA1'), await talk('CA2')]
    expect(api.orders.map(({ limitSeconds }) => limitSeconds)).toEqual([240, 180])
    clock.advance(2 * MINUTE_MS - 1_000)
    await settled()
    expect([first.state.status, second.state.status]).toEqual(['over', 'over'])
    expect([dialer.spentToday, dialer.minutesToday]).toEqual([2, 4])
    expect(dialer.counters).toMatchObject({ cut: 2, spent: 0 })
    expect(() => dialer.dial({ to: ANA, invitation: { room: 'r' } })).toThrow('daily quota reached')
  })

  it('limits a call to the remaining quota, then rejects calls until the next day', async () => {
    const clock = new FakeClock()
    const api = new FakeCarrierApi()
    const log = new LogLines()
    const settings = { from: '+15005550001', allowedPrefixes: ['+34'] }
    const limits = { maxMinutesPerDay: 5, machineDetection: false }
    const parts = { clock, api, log, wallClock: () => clock.now() }
    const dialer = new CarrierDialer({ ...settings, ...limits }, parts)
    dialer.attach({ url: path => `https://b/${path}`, release() {} })
    const dial = (limitSeconds?: number) =>
      dialer.dial({ to: ANA, invitation: { room: 'r' }, ...(limitSeconds ? { limitSeconds } : {}) })

    const talk = (id: string, callSid: string) => {
      dialer.get(id)?.told(callSid, inputOf('in-progress'))
      dialer.get(id)?.arrived(new FakeLeg(callSid))
    }
    const first = dial(60)
    await settled()
    talk(first.id, 'CA1')
    clock.advance(3 * MINUTE_MS)
    const second = dial(1_000)
    await settled()
    expect(api.orders.map(({ limitSeconds }) => limitSeconds)).toEqual([60, 120])
    talk(second.id, 'CA2')
    clock.advance(MINUTE_MS)
    expect(() => dial()).toThrow(expect.objectContaining({ code: 'DIAL_QUOTA_EXCEEDED', retryable: true }))
    await first.hangUp()
    await second.hangUp()
    expect(dialer.minutesToday).toBe(5)
    expect(() => dial()).toThrow('daily quota reached')
    expect(dialer.counters).toMatchObject({ dialed: 2, refused: 2, spent: 2 })
    expect([dialer.counters.cut, log.complaints.length]).toEqual([2, 4])
    expect(JSON.stringify(log.all)).not.toContain(ANA)
    clock.advance(DAY_MS)
    dial()
    expect(api.orders).toHaveLength(3)
  })
})
