import { expect, test } from 'vitest'
import { fuzzSeeds } from '../../service/server/helpers/fuzz-seeds.ts'
import { bytesPerCall, leftovers, type SoakReport, soak } from './soak.ts'

test.each(fuzzSeeds(1))('calls in rooms, most with a fault, leave nothing behind (seed %d)', async seed => {
  const report = await soak('rooms', { seed, calls: 300, mostSeconds: 15 })
  expect(leftovers(report)).toEqual([])
  expect(report.seesOne).toBe(true)
  expect(report.sessions).toBeGreaterThan(report.calls)
  expect(Object.keys(report.faults).length).toBeGreaterThanOrEqual(8)
})

test('calls over real sockets, most of which end badly, leave nothing behind', async () => {
  const report = await soak('streams', { seed: 1, calls: 60, mostSeconds: 15 })
  expect(leftovers(report)).toEqual([])
  expect(report.seesOne).toBe(true)
  expect(Object.keys(report.faults).length).toBeGreaterThanOrEqual(5)
})

test('what is left behind by each call is reckoned', () => {
  const heap = Array.from({ length: 20 }, (_, n) => ({ calls: n * 100, bytes: 5_000_000 + n * 700 }))
  expect(bytesPerCall({ heap } as unknown as SoakReport)).toBeCloseTo(7)
})
