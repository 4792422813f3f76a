import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { type DayLedger, DayUsage, NOTHING, type Used } from '../../../src/bridges/phone/day-usage.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

class NotedLedger implements DayLedger {
  known = true
  readonly noted: [string, Used][] = []

  earlier(name: string): Used {
    return name === 'all' ? { minutes: 10, spend: 1 } : NOTHING
  }

  note(name: string, used: Used): void {
    this.noted.push([name, used])
  }
}

function counted(ledger?: DayLedger) {
  const clock = new FakeClock()
  const usage = new DayUsage({ clock, wallClock: () => clock.now(), ledger })
  return { clock, usage }
}

const all = { name: 'all', limited: true }
const ana = { name: 'number ana', limited: false }

test('a call counts from its answer, in whole minutes, for each of its names', () => {
  const { clock, usage } = counted()
  usage.start('1', [all, ana], 0.5)
  expect(usage.used('all')).toEqual({ minutes: 1, spend: 0.5 })
  clock.advance(5 * MINUTE_MS)
  usage.answer('1')
  clock.advance(MINUTE_MS + 1)
  usage.answer('1')
  expect(usage.used('number ana')).toEqual({ minutes: 2, spend: 1 })
  expect(usage.used('all', () => MINUTE_MS)).toEqual({ minutes: 3, spend: 1.5 })
  usage.end('1')
  usage.end('1')
  clock.advance(MINUTE_MS)
  expect(usage.used('all')).toEqual({ minutes: 2, spend: 1 })
  expect(usage.running.size).toBe(0)
})

test('an unanswered call is free', () => {
  const { usage } = counted()
  usage.start('1', [all], 1)
  usage.end('1')
  expect(usage.used('all')).toEqual(NOTHING)
})

test('a call counts for the day on which it ends', () => {
  const { clock, usage } = counted()
  clock.advance(DAY_MS - MINUTE_MS)
  for (const id of ['1', '2']) {
    usage.start(id, [all])
    usage.answer(id)
  }
  usage.end('1')
  expect(usage.used('all').minutes).toBe(2)
  clock.advance(2 * MINUTE_MS)
  usage.end('2')
  expect(usage.used('all').minutes).toBe(2)
})

test('other runs count too, and only what is limited is stored', () => {
  const ledger = new NotedLedger()
  const { clock, usage } = counted(ledger)
  usage.start('1', [all, ana])
  usage.answer('1')
  clock.advance(3 * MINUTE_MS)
  expect(usage.used('all')).toEqual({ minutes: 13, spend: 1 })
  usage.note()
  usage.end('1')
  expect(ledger.noted).toEqual([1, 3, 3].map(minutes => ['all', { minutes, spend: 0 }]))
  ledger.known = false
  expect(usage.known).toBe(false)
})
