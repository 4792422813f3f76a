import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_SCHEDULES } from '../support/schedules/all-schedules.ts'
import { fuzzSeeds } from '../support/vitest/seeds.ts'

test.each(
  ALL_SCHEDULES.flatMap(schedule => fuzzSeeds(1).map(seed => [schedule.name, seed, schedule] as const)),
)('%s: holds for any events in any order (seed %d)', { timeout: 60_000 }, async (_name, seed, schedule) => {
  await fc.assert(schedule.property, { seed, numRuns: schedule.short, interruptAfterTimeLimit: 5_000 })
})

test('finds a machine that violates its invariant, with the seed and the shortest schedule', () => {
  const property = fc.property(fc.array(fc.nat(9), { maxLength: 20 }), steps => !steps.includes(7))
  expect(() => fc.assert(property, { seed: 1, numRuns: 1_000 })).toThrow(
    /seed: 1[\s\S]*Counterexample: \[\[7\]\]/,
  )
})
