import { expect, test } from 'vitest'
import { fuzzSeeds } from '../support/vitest/seeds.ts'
import { again, bytesPerCall, leftovers, soak, soakAll } from './soak.ts'

/** Places all calls, so that a seed is the same everywhere, even on a busy machine. */
const BUSY = { timeout: 600_000 }

test('calls in rooms, most with a fault, leave nothing over', BUSY, async () => {
  // The second one ended its last call in the 20 ms in which a long answer arrived.
  const seeds = fuzzSeeds(1, 1_716_583_307)
  const reports = await soakAll('rooms', seeds, { calls: 300, mostSeconds: 600 })
  for (const report of reports) {
    const { seed, calls, sessions, faults } = report
    expect(leftovers(report), again(seed)).toEqual([])
    expect(report.seesOne, again(seed)).toBe(true)
    expect(sessions, again(seed)).toBeGreaterThan(calls / 2)
    expect(Object.keys(faults).length, again(seed)).toBeGreaterThanOrEqual(8)
  }
  expect(reports).toHaveLength(seeds.length)
})

// The engine's own memory is stable after about 6 000 calls, so the second half shows growth.
test('ten thousand calls let the memory grow by less than 12 MB per day of 100 000 calls', BUSY, async () => {
  const report = await soak('rooms', { seed: 3, calls: 10_000, mostSeconds: 600 })
  expect(leftovers(report)).toEqual([])
  expect(bytesPerCall(report)).toBeLessThan(120)
})

test('calls over real sockets, most of which end badly, leave nothing over', BUSY, async () => {
  const report = await soak('streams', { seed: 1, calls: 60, mostSeconds: 600 })
  expect(leftovers(report)).toEqual([])
  expect(report.seesOne).toBe(true)
  expect(Object.keys(report.faults).length).toBeGreaterThanOrEqual(5)
})
