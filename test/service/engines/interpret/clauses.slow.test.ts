import fc from 'fast-check'
import { test } from 'vitest'
import { CLAUSE_SCHEDULES } from '../../../support/schedules/clause-schedules.ts'

test.each(CLAUSE_SCHEDULES.map(schedule => [schedule.name, schedule] as const))(
  '%s, 10 000 times',
  async (_, { property }) => {
    await fc.assert(property as fc.IAsyncProperty<unknown>, { seed: 3, numRuns: 10_000 })
  },
  10 * 60_000,
)
