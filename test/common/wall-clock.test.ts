import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { neverBack } from '../../src/common/wall-clock.ts'

test('a time for deadlines runs on while the calendar time is set back, and follows it forward', () => {
  const clock = new FakeClock()
  let offset = 1_000_000
  const time = neverBack(() => offset + clock.now(), clock)
  const began = time()
  expect(began).toBe(offset + clock.now())
  clock.advance(5_000)
  offset -= 3_600_000
  expect(time() - began).toBe(5_000)
  clock.advance(5_000)
  expect(time() - began).toBe(10_000)
  // The machine slept, or its time was corrected.
  offset += 2 * 3_600_000
  expect(time() - began).toBe(10_000 + 3_600_000)
})
