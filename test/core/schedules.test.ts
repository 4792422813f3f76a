import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_SCHEDULES } from '../support/schedules/all-schedules.ts'

test.each(ALL_SCHEDULES.map(schedule => [schedule.name, schedule] as const))(
  '%s: holds for any events in any order',
  async (_name, schedule) => {
    await fc.assert(schedule.property, { numRuns: schedule.runs })
  },
)

test('finds a machine that violates its invariant, with the seed and the shortest schedule', () => {
  const property = fc.property(fc.array(fc.nat(9), { maxLength: 20 }), steps => !steps.includes(7))
  expect(() => fc.assert(property, { seed: 1, numRuns: 1_000 })).toThrow(
    /seed: 1[\s\S]*Counterexample: \[\[7\]\]/,
  )
})
