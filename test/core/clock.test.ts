import { expect, test } from 'vitest'
import { after, Ticker } from '../../src/core/clock.ts'
import { FakeClock } from '../../src/simulator/fake-clock.ts'

test('tasks run in order of their deadlines, each at its moment', () => {
  const clock = new FakeClock()
  const seen: string[] = []
  after(clock, 30, () => seen.push(`b${clock.now()}`))
  after(clock, 10, () => {
    seen.push(`a${clock.now()}`)
    after(clock, 5, () => seen.push(`c${clock.now()}`))
  })
  using _never = after(clock, 40, () => seen.push('d'))
  clock.advance(35)
  expect(seen).toEqual(['a10', 'c15', 'b30'])
  expect(clock.pending).toBe(1)
})

test('a disposed task never runs', () => {
  const clock = new FakeClock()
  let ran = false
  after(clock, 10, () => {
    ran = true
  })[Symbol.dispose]()
  clock.advance(100)
  expect(ran).toBe(false)
  expect(() => clock.advance(-1)).toThrow('-1')
})

test('a ticker stays on its grid for hours', () => {
  const clock = new FakeClock()
  let count = 0
  let last = 0
  const ticker = new Ticker(clock, 20, now => {
    count++
    last = now
  })
  clock.advance(2 * 3_600_000)
  ticker[Symbol.dispose]()
  expect(count).toBe(360_000)
  expect(last).toBe(7_200_000)
  expect(clock.pending).toBe(0)
})

test('a late tick skips what was missed and returns to the grid', () => {
  // A clock whose tasks run late, as after a long turn of the event loop.
  const clock = new FakeClock()
  let late = 0
  const slow = { now: () => clock.now() + late, at: clock.at.bind(clock) }
  const seen: number[] = []
  using _ticker = new Ticker(slow, 20, now => seen.push(now))
  clock.advance(20)
  late = 50
  clock.advance(20)
  late = 0
  clock.advance(80)
  expect(seen).toEqual([20, 90, 100, 120])
})
