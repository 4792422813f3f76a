import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { setTimer, systemClock, Ticker } from '../../src/common/clock.ts'

test('runs tasks in the order of their deadlines, each on time', () => {
  const clock = new FakeClock()
  const since = clock.now()
  const seen: [string, number][] = []
  const see = (name: string) => seen.push([name, Math.floor(clock.now() - since)])
  setTimer(clock, 30, () => see('b'))
  setTimer(clock, 10, () => {
    see('a')
    setTimer(clock, 5, () => see('c'))
  })
  using _never = setTimer(clock, 40, () => see('d'))
  clock.advance(35)
  expect(seen).toEqual([
    ['a', 10],
    ['c', 15],
    ['b', 30],
  ])
  expect(clock.pending).toBe(1)
})

test('the test clock uses fractional milliseconds and runs tasks late by varying fractions', () => {
  const clock = new FakeClock()
  const since = clock.now()
  expect(since % 1).toBeGreaterThan(0.1)
  expect(new FakeClock(5_000).now() % 1).toBeGreaterThan(0.1)
  expect(new FakeClock(5_000.25).now()).toBe(5_000.25)
  expect(() => new FakeClock(Number.NaN)).toThrow('NaN')
  const late: number[] = []
  for (let n = 1; n <= 50; n++) clock.at(since + n * 20, () => late.push(clock.now() - since - n * 20))
  clock.advance(1_000)
  expect(clock.now()).toBe(since + 1_000)
  // A task that is due at the very end runs there.
  expect(late.pop()).toBe(0)
  expect(late).toHaveLength(49)
  expect(new Set(late).size).toBe(49)
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...late)).toBeLessThan(0.9)
})

test('never runs real tasks early, although Node.js timers can fire early', async () => {
  const early: number[] = []
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => {
      const deadline = systemClock.now() + 2 + n * 0.13
      return new Promise<void>(resolve => {
        systemClock.at(deadline, () => {
          if (systemClock.now() < deadline) early.push(deadline - systemClock.now())
          resolve()
        })
      })
    }),
  )
  expect(early).toEqual([])
})

test('does not run a disposed real task, or one due next month', async () => {
  let ran = false
  setTimer(systemClock, 1.5, () => {
    ran = true
  })[Symbol.dispose]()
  // Longer than the maximum delay of a Node.js timer.
  using _later = setTimer(systemClock, 30 * 86_400_000, () => {
    ran = true
  })
  await new Promise<void>(resolve => void setTimer(systemClock, 6, resolve))
  expect(ran).toBe(false)
})

test('does not run a disposed task', () => {
  const clock = new FakeClock()
  let ran = false
  setTimer(clock, 10, () => {
    ran = true
  })[Symbol.dispose]()
  clock.advance(100)
  expect(ran).toBe(false)
  expect(() => clock.advance(-1)).toThrow('-1')
})

test('a ticker stays on its grid for hours', () => {
  const clock = new FakeClock()
  const since = clock.now()
  let count = 0
  let last = 0
  const ticker = new Ticker(clock, 20, now => {
    count++
    last = now
  })
  clock.advance(2 * 3_600_000)
  ticker[Symbol.dispose]()
  expect(count).toBe(360_000)
  expect(last - since).toBe(7_200_000)
  expect(clock.pending).toBe(0)
})

test('a late tick skips missed periods and returns to the grid', () => {
  // A clock whose tasks run late, as after a long turn of the event loop.
  const clock = new FakeClock()
  let late = 0
  const slow = { now: () => clock.now() + late, at: clock.at.bind(clock) }
  const since = clock.now()
  const seen: number[] = []
  using _ticker = new Ticker(slow, 20, now => seen.push(Math.floor(now - since)))
  clock.advance(20)
  late = 50
  clock.advance(20)
  late = 0
  clock.advance(80)
  expect(seen).toEqual([20, 90, 100, 120])
})
