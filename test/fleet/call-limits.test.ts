import { describe, expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { NumberQuota } from '../../src/bridges/phone/call-policy.ts'
import type { IncomingCall } from '../../src/bridges/phone/incoming-call.ts'
import type { NumberSettings } from '../../src/bridges/phone/number-settings.ts'
import { CarrierDialer, type DialerSettings } from '../../src/bridges/phone/outbound/carrier-dialer.ts'
import { RateLimitedDialer } from '../../src/core/calls/dialer-policies.ts'
import type { Dialer, DialOutcome } from '../../src/core/model/dialer.ts'
import { FleetHub, type HubFleet } from '../support/fleet/fleet-hub.ts'
import { FakeCarrierApi } from '../support/phone/fake-carrier-api.ts'
import { settled } from '../support/phone/outbound-call-harness.ts'

const MINUTE_MS = 60_000
const BEGAN = Date.UTC(2026, 0, 1, 10)
const ANA = '+34600111222'
const BOB = '+34600333444'
const DESK = '+15005550001'

/** Two nodes that call through one account. */
function dialers(settings: Partial<DialerSettings>) {
  const hub = new FleetHub()
  const clock = new FakeClock()
  const wall = () => BEGAN + clock.now()
  let calls = 0
  const node = (name: string) => {
    const fleet = hub.join(name)
    const api = Object.assign(new FakeCarrierApi(), { onPlace: async () => `CA${name}${++calls}` })
    const dialer = new CarrierDialer(
      { from: DESK, allowedPrefixes: ['+34'], machineDetection: false, ...settings },
      { api, clock, wallClock: wall, fleet },
    )
    dialer.attach({ url: path => `https://b/${path}`, release() {} })
    onTestFinished(() => dialer.close())
    /** Places a call that is answered, unless it is refused. */
    const dial = async (to = ANA, through: Dialer = dialer) => {
      const call = through.dial({ to, invitation: { room: 'r' } })
      let outcome: DialOutcome | undefined
      void call.outcome.then(each => {
        outcome = each
      })
      await settled()
      const order = api.orders.at(-1)
      if (outcome?.kind === 'failed') return { call, refused: outcome.error.code, order }
      const placed = dialer.get(call.id)!
      placed.answered(`CA${name}${calls}`)
      placed.arrived(new FakeLeg(call.id))
      await settled()
      return { call, refused: undefined, order }
    }
    return { fleet, api, dialer, dial, wall }
  }
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000)
      await Promise.resolve()
    }
    await settled()
  }
  return { hub, clock, wall, advance, a: node('a'), b: node('b') }
}

/** Units leased in all periods of quotas of this kind. */
const leased = (hub: FleetHub, kind: string) =>
  [...hub.leases].filter(([key]) => key.startsWith(kind)).map(([, units]) => units)

describe('outbound calls of a fleet', () => {
  test('are limited together in number, and a node that ends frees its calls', async () => {
    const { a, b } = dialers({ maxConcurrent: 3 })
    expect([await a.dial(), await a.dial(), await b.dial()].map(({ refused }) => refused)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect((await b.dial()).refused).toBe('CAPACITY')
    expect(b.api.orders).toHaveLength(1)
    a.fleet.kill()
    expect([(await b.dial()).refused, (await b.dial()).refused]).toEqual([undefined, undefined])
    expect(() => b.dialer.dial({ to: ANA, invitation: { room: 'r' } })).toThrow('concurrent')
  })

  test('free their slots when they end, and when they are refused', async () => {
    const { a, b } = dialers({ maxConcurrent: 1 })
    const first = await a.dial()
    expect((await b.dial()).refused).toBe('CAPACITY')
    await first.call.hangUp()
    await settled()
    expect((await b.dial()).refused).toBeUndefined()
  })

  test('never use more minutes than the limit, and end when none remains', async () => {
    const { hub, a, b, advance } = dialers({ maxMinutesPerDay: 10 })
    const [one, two] = [await a.dial(ANA), await b.dial(BOB)]
    const over: string[] = []
    void one.call.over.then(() => over.push('a'))
    void two.call.over.then(() => over.push('b'))
    await advance(4 * MINUTE_MS)
    expect(over).toEqual([])
    await advance(4 * MINUTE_MS)
    expect(over.sort()).toEqual(['a', 'b'])
    expect(a.dialer.minutesToday + b.dialer.minutesToday).toBe(10)
    expect(Math.max(...leased(hub, 'minutes'))).toBeLessThanOrEqual(10)
    expect((await a.dial()).refused ?? 'thrown').toBe('DIAL_QUOTA_EXCEEDED')
  })

  test('have the minutes that remain for all nodes as their time limit', async () => {
    const { a, b, advance } = dialers({ maxMinutesPerDay: 100 })
    await a.dial()
    await advance(39 * MINUTE_MS)
    const { order } = await b.dial(BOB)
    expect(order?.limitSeconds).toBeGreaterThan(55 * 60)
    expect(order?.limitSeconds).toBeLessThanOrEqual(60 * 60)
  })

  test('lose at most a chunk with a node that ends', async () => {
    const { hub, a, b, advance } = dialers({ maxMinutesPerDay: 100 })
    await a.dial()
    await advance(9 * MINUTE_MS)
    a.fleet.kill()
    const { order } = await b.dial(BOB)
    // Nine minutes, one leased early, and at most two chunks of two.
    expect(order?.limitSeconds).toBeGreaterThanOrEqual(86 * 60)
    expect(Math.max(...leased(hub, 'minutes'))).toBeLessThanOrEqual(100)
  })

  test('never cost more than the limit, for one number and in total', async () => {
    const { hub, a, b, advance } = dialers({
      prices: { '+34': 0.25 },
      maxSpendPerDay: 2,
      maxSpendPerNumber: 1.5,
    })
    await a.dial()
    await b.dial()
    await advance(20 * MINUTE_MS)
    expect(a.dialer.spentToday + b.dialer.spentToday).toBe(1.5)
    await b.dial(BOB)
    await advance(20 * MINUTE_MS)
    expect(a.dialer.spentToday + b.dialer.spentToday).toBe(2)
    expect(Math.max(...leased(hub, 'spend'))).toBeLessThanOrEqual(20_000)
  })

  test('are refused while the fleet is unavailable and the chunk is used up; those in progress get one more chunk', async () => {
    const { a, advance } = dialers({ maxMinutesPerDay: 100 })
    const { call } = await a.dial()
    let over = false
    void call.over.then(() => {
      over = true
    })
    a.fleet.away = true
    // Three minutes are leased: the rest of the first chunk, and the next one.
    const others = [await a.dial(BOB), await a.dial(BOB), await a.dial(BOB)]
    expect(others.map(({ refused }) => refused)).toEqual([undefined, undefined, undefined])
    expect((await a.dial(BOB)).refused).toBe('DIAL_QUOTA_EXCEEDED')
    for (const other of others) await other.call.hangUp()
    await advance(2 * MINUTE_MS)
    expect(over).toBe(false)
    await advance(5 * MINUTE_MS)
    expect(over).toBe(true)
    expect(a.dialer.minutesToday).toBeLessThanOrEqual(6)
  })

  test('are limited together by minute, and by hour to one destination', async () => {
    const { clock, wall, a, b } = dialers({ maxConcurrent: 100 })
    const limits = { maxCallsPerMinute: 4, maxCallsPerHourPerDestination: 2, known: [BOB] }
    const limited = ({ dialer, fleet }: { dialer: CarrierDialer; fleet: HubFleet }) =>
      new RateLimitedDialer(dialer, limits, clock, { fleet, wall })
    const [one, two] = [limited(a), limited(b)]
    const refusals = [
      await a.dial(ANA, one),
      await b.dial(ANA, two),
      await b.dial(ANA, two),
      await b.dial(BOB, two),
      await a.dial(BOB, one),
    ]
    expect(refusals.map(({ refused }) => refused)).toEqual([
      undefined,
      undefined,
      'DIAL_REFUSED',
      undefined,
      'CAPACITY',
    ])
    clock.advance(MINUTE_MS)
    expect((await a.dial(BOB, one)).refused).toBeUndefined()
    expect(two.refused).toBe(1)
  })

  test('reveal no number on the bus', async () => {
    const { hub, a } = dialers({ maxMinutesPerNumber: 10, maxConcurrent: 2 })
    await a.dial()
    const seen = [hub.stored, ...hub.leases.keys(), ...hub.slots.keys(), ...hub.messages].join('\n')
    for (const number of [ANA, DESK]) expect(seen).not.toContain(number.slice(1))
  })
})

/** Two nodes that receive calls to one number. */
function receivers(settings: NumberSettings) {
  const hub = new FleetHub()
  const clock = new FakeClock()
  const node = (name: string) => {
    const fleet = hub.join(name)
    const there = new Set<string>()
    const quota = new NumberQuota({
      numbers: { [DESK]: settings },
      isInProgress: callId => there.has(callId),
      language: 'en-us',
      clock,
      wallClock: () => BEGAN + clock.now(),
      fleet,
    })
    onTestFinished(() => quota[Symbol.dispose]())
    const invite = quota.within(() => ({ room: 'r', hears: 'es-es' }))
    const call = async (callId: string) => {
      const decision = await invite({ callId, to: DESK, query: {}, answers: {} } as unknown as IncomingCall)
      if ('refused' in decision) return 'busy'
      there.add(callId)
      return 'in'
    }
    return { fleet, quota, there, call }
  }
  return { hub, clock, a: node('a'), b: node('b') }
}

describe('inbound calls of a fleet', () => {
  test('are limited together in number; those of a node that ended do not count', async () => {
    const { clock, a, b } = receivers({ maxCalls: 2 })
    expect([await a.call('1'), await b.call('2'), await a.call('3')]).toEqual(['in', 'in', 'busy'])
    // A repeated request of an admitted call.
    expect(await a.call('1')).toBe('in')
    a.there.delete('1')
    clock.advance(1_000)
    await settled()
    expect([await b.call('4'), await b.call('5'), b.quota.rejected.calls]).toEqual(['in', 'busy', 1])
    b.fleet.kill()
    expect([await a.call('6'), await a.call('7'), await a.call('8')]).toEqual(['in', 'in', 'busy'])
  })

  test('are limited together in minutes, and continue when none remains', async () => {
    const { clock, a, b } = receivers({ maxMinutesPerDay: 10 })
    expect([await a.call('1'), await b.call('2')]).toEqual(['in', 'in'])
    for (let second = 0; second < 600; second++) {
      clock.advance(1_000)
      await Promise.resolve()
    }
    await settled()
    expect([await a.call('3'), await b.call('4')]).toEqual(['busy', 'busy'])
    expect([a.quota.minutesOf(DESK), b.quota.rejected.minutes]).toEqual([10, 1])
  })

  test('are admitted within the share of the node while the fleet is unavailable', async () => {
    const { a } = receivers({ maxCalls: 4, maxMinutesPerDay: 100 })
    a.fleet.away = true
    expect([await a.call('1'), await a.call('2'), await a.call('3')]).toEqual(['in', 'in', 'busy'])
  })

  test('that enter a room at another node count there', async () => {
    const { clock, a, b } = receivers({ maxCalls: 1, maxMinutesPerDay: 100 })
    expect(await a.call('1')).toBe('in')
    a.there.delete('1')
    b.there.add('1')
    clock.advance(1_000)
    await settled()
    clock.advance(3 * MINUTE_MS)
    await settled()
    expect([a.quota.minutesOf(DESK), b.quota.minutesOf(DESK)]).toEqual([0, 3])
    expect(await a.call('2')).toBe('busy')
    b.there.delete('1')
    clock.advance(1_000)
    await settled()
    expect(await a.call('2')).toBe('in')
  })

  test('that never arrive give their slots back', async () => {
    const { clock, a, b } = receivers({ maxCalls: 1 })
    expect(await a.call('1')).toBe('in')
    a.there.delete('1')
    clock.advance(10_000)
    expect(await b.call('2')).toBe('busy')
    clock.advance(30_000)
    await settled()
    expect(await b.call('2')).toBe('in')
  })
})
