import { expect, test } from 'vitest'
import { brokenSchedules } from '../support/fleet/fleet-schedule.ts'
import { figure } from '../support/sources/figures.ts'
import { newSeeds } from '../support/vitest/seeds.ts'

const SCHEDULES = Number(process.env.FLEET_SCHEDULES ?? 100_000)

test('random schedules of faults in a fleet', { timeout: 3_600_000 }, async context => {
  const first = newSeeds(1)[0]!
  const { broken, admitted } = await brokenSchedules(first, SCHEDULES)
  console.log(`${SCHEDULES} schedules, ${admitted} admissions, from seed ${first}`)
  expect(broken, `from seed ${first}`).toEqual([])
  figure(context, `rooms of a fleet with two homes, in ${SCHEDULES} random schedules of faults`, '0', '0')
})
