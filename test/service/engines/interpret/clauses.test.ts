import fc from 'fast-check'
import { test } from 'vitest'
import { CLAUSE_SCHEDULES } from '../../../support/schedules/clause-schedules.ts'

test.each(CLAUSE_SCHEDULES.map(schedule => [schedule.name, schedule] as const))(
  '%s',
  async (_, { property, runs }) => {
    await fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns: runs })
  },
)
