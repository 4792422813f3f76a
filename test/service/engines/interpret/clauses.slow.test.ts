import fc from 'fast-check'
import { test } from 'vitest'
import { CLAUSE_SCHEDULES } from '../../../support/schedules/clause-schedules.ts'
import { PROPERTY_SEED } from '../../../support/vitest/seeds.ts'

/** About three minutes of one core; other seeds (`DRAGOMAN_FUZZ_SEED`) are other schedules. */
const RUNS = 30_000

test.each(CLAUSE_SCHEDULES.map(schedule => [schedule.name, schedule] as const))(
  `%s, ${RUNS} times`,
  async (_, { property }) => {
    // Not the schedules of `npm test`.
    await fc.assert(property, { seed: PROPERTY_SEED + 1, numRuns: RUNS })
  },
  30 * 60_000,
)
