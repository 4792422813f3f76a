import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { openCallUsage, StoredCallUsage } from '../../src/app/call-usage.ts'
import type { CarrierSections } from '../../src/app/carriers.ts'
import { NumberQuota } from '../../src/bridges/phone/call-policy.ts'
import { CARRIERS } from '../../src/bridges/phone/carriers.ts'
import type { IncomingCall } from '../../src/bridges/phone/index.ts'
import { CallUsage } from '../../src/bridges/phone/outbound/usage-limits.ts'
import { stateFolder } from '../support/state.ts'

const ANA = '+34600111222'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Runs of the server with one file and one clock, which starts at 10:00 on an arbitrary day. */
function server() {
  const clock = new FakeClock()
  let jumpMs = 0
  const wallClock = () => 20_000 * DAY_MS + 10 * HOUR_MS + clock.now() + jumpMs
  const kept = stateFolder(wallClock)
  const { log } = kept
  const run = () => new StoredCallUsage({ state: kept.open(), key: 'a secret', wallClock, log })
  const jump = (ms: number) => {
    jumpMs += ms
  }
  return { clock, log, wallClock, run, kept, jump }
}

describe('the usage of today', () => {
  test('is known after a crash, in total and by name, from a file without phone numbers', () => {
    const { run, kept } = server()
    const first = run()
    first.note('all', { minutes: 7, spend: 0.7 })
    first.note(`number ${ANA}`, { minutes: 3, spend: 0.3 })
    const second = run()
    expect(second.earlier('all')).toEqual({ minutes: 7, spend: 0.7 })
    expect(second.earlier(`number ${ANA}`)).toEqual({ minutes: 3, spend: 0.3 })
    expect(second.earlier('number +1')).toEqual({ minutes: 0, spend: 0 })
    const files = [kept.file, `${kept.file}-wal`].map(file => readFileSync(file, 'latin1')).join()
    expect(files).toContain('all')
    expect(files).not.toContain(ANA.slice(1))
  })

  test('is zero on the next day, regardless of the file', () => {
    const { clock, run, kept } = server()
    run().note('all', { minutes: 7, spend: 0 })
    const second = run()
    second.note('all', { minutes: 2, spend: 0 })
    clock.advance(14 * HOUR_MS)
    expect(second.earlier('all').minutes).toBe(0)
    second.note('all', { minutes: 1, spend: 0 })
    expect(run().earlier('all').minutes).toBe(1)
    expect(kept.open().database.prepare('SELECT count(*) AS count FROM call_usage').get()).toEqual({
      count: 1,
    })
  })

  test('counts for the current day when the clock was set back past midnight', () => {
    const { run, jump } = server()
    run().note('all', { minutes: 7, spend: 0 })
    jump(-DAY_MS)
    expect(run().earlier('all').minutes).toBe(7)
  })

  test('is the sum of concurrent and earlier runs', () => {
    const { run } = server()
    const [old, fresh] = [run(), run()]
    old.note('all', { minutes: 5, spend: 0 })
    fresh.note('all', { minutes: 3, spend: 0.5 })
    old.note('all', { minutes: 6, spend: 0 })
    expect([old.earlier('all'), fresh.earlier('all').minutes]).toEqual([{ minutes: 3, spend: 0.5 }, 6])
    expect(run().earlier('all')).toEqual({ minutes: 9, spend: 0.5 })
  })

  test('is unknown when it cannot be read: calls with a limit are rejected until the day is over', () => {
    const { clock, log, wallClock, run, kept } = server()
    const ledger = run()
    kept.open().database.exec('ALTER TABLE call_usage RENAME TO elsewhere')
    const usage = new CallUsage({ maxMinutesPerDay: 100 }, clock, wallClock, ledger)
    usage.left(ANA)
    expect([ledger.known, usage.left(ANA)]).toEqual([false, 0])
    expect(new CallUsage({}, clock, wallClock, ledger).left(ANA)).toBe(Number.POSITIVE_INFINITY)
    expect(log.complaints.join()).toContain('unknown')
    kept.open().database.exec('ALTER TABLE elsewhere RENAME TO call_usage')
    clock.advance(14 * HOUR_MS)
    expect(usage.left(ANA)).toBe(100)
  })

  test('is counted in memory while the disk is full, and written afterwards', () => {
    const { log, run, kept } = server()
    const one = run()
    kept.full(true)
    for (let minutes = 1; minutes < 5; minutes++) {
      one.note('all', { minutes, spend: 0 })
      one.note(`number ${ANA}`, { minutes, spend: 0 })
    }
    expect([one.known, log.complaints.length]).toEqual([true, 1])
    kept.full(false)
    // The same as before: only what is missing is written.
    one.note('all', { minutes: 4, spend: 0 })
    expect([run().earlier('all').minutes, run().earlier(`number ${ANA}`).minutes]).toEqual([4, 4])
  })
})

describe('a usage limit applies', () => {
  test('to a process that crashes after every call, including unanswered ones', () => {
    const { clock, wallClock, run } = server()
    let placed = 0
    for (let n = 1; n <= 30; n++) {
      const usage = new CallUsage({ maxMinutesPerDay: 10, prices: {} }, clock, wallClock, run())
      if (usage.left(ANA) < 1) continue
      usage.placed(String(n), ANA)
      placed++
    }
    expect(placed).toBe(10)
  })

  test('to minutes and money of the previous run, in total, by number and by key', () => {
    const { clock, wallClock, run } = server()
    const limits = {
      ...{ prices: { '+34': 0.5 }, maxMinutesPerDay: 100, maxSpendPerDay: 20 },
      ...{ maxMinutesPerNumber: 20, maxSpendPerKey: 6 },
    }
    const first = run()
    const before = new CallUsage(limits, clock, wallClock, first)
    before.placed('1', ANA, 'desk')
    before.pickedUp('1')
    clock.advance(8 * MINUTE_MS)
    before.note()
    // A call in progress when the process ends counts with its started minute.
    clock.advance(1)
    before.note()
    const after = new CallUsage(limits, clock, wallClock, run())
    expect([after.minutes, after.spend]).toEqual([9, 4.5])
    expect(after.left(ANA)).toBe(11)
    expect(after.left(ANA, 'desk')).toBe(3)
    expect(after.left('+34900', 'desk')).toBe(3)
    expect(after.left('+34900')).toBe(20)
  })

  test('to the minutes of calls to a number', () => {
    const { clock, wallClock, run } = server()
    const there = new Set<string>()
    const desk = '+15005550001'
    const open = (ledger: StoredCallUsage) =>
      new NumberQuota({
        numbers: { [desk]: { maxMinutesPerDay: 10 } },
        isInProgress: callId => there.has(callId),
        ...{ language: 'en-us', clock, wallClock, ledger },
      })
    const call = (limits: NumberQuota, callId: string) => {
      there.add(callId)
      const told = limits.within(() => ({ room: 'r', hears: 'es-es' }))
      return 'refused' in told({ callId, to: desk, query: {}, answers: {} } as unknown as IncomingCall)
    }
    const first = run()
    using before = open(first)
    expect(call(before, '1')).toBe(false)
    clock.advance(9 * MINUTE_MS + 2_000)
    there.clear()
    using after = open(run())
    expect(after.minutesOf(desk)).toBe(10)
    expect(call(after, '2')).toBe(true)
    expect(after.rejected.minutes).toBe(1)
  })

  test('from the state file only when a limit is configured', () => {
    const { wallClock, log, kept } = server()
    const outbound = { accountId: 'AC1', from: '+15005550001', allowedPrefixes: ['+34'] }
    const open = (settings: object) =>
      openCallUsage(
        {
          ...(Object.fromEntries(CARRIERS.map(({ name }) => [name, {}])) as unknown as CarrierSections),
          twilio: { authToken: ['x'], ...settings },
        },
        { state: kept.open(), wallClock, log },
      )
    expect(open({})).toBeUndefined()
    expect(open({ outbound, numbers: { '+1': { maxCalls: 3 } } })).toBeUndefined()
    expect(open({ outbound: { ...outbound, maxSpendPerKey: 3 } })).toBeDefined()
    expect(open({ numbers: { '+1': { maxMinutesPerDay: 3 } } })).toBeDefined()
  })
})
