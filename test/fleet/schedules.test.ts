import { expect, test } from 'vitest'
import { brokenSchedules } from '../support/fleet/fleet-schedule.ts'

const SCHEDULES = 300

test('a replaced node admits no one, and healing never splits a room, in any schedule of faults', {
  timeout: 120_000,
}, async () => {
  const { broken, admitted } = await brokenSchedules(1, SCHEDULES)
  expect(broken).toEqual([])
  expect(admitted).toBeGreaterThan(SCHEDULES * 5)
})
