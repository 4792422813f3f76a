import fc from 'fast-check'
import { test } from 'vitest'
import { ALL_SCHEDULES } from '../support/schedules/all-schedules.ts'

test.each(ALL_SCHEDULES.map(schedule => [schedule.name, schedule] as const))(
  '%s: holds for any events in any order',
  async (_name, schedule) => {
    await fc.assert(schedule.property, { numRuns: schedule.runs })
  },
)
