import { expect, test } from 'vitest'
import { brokenSchedules, runSchedule } from '../support/fleet/fleet-schedule.ts'

const SCHEDULES = 300

test('a replaced node admits no one, and healing never splits a room, in any schedule of faults', {
  timeout: 120_000,
}, async () => {
  const { broken, admitted } = await brokenSchedules(1, SCHEDULES)
  expect(broken).toEqual([])
  expect(admitted).toBeGreaterThan(SCHEDULES * 5)
})

test('finds nodes that admit without asking', { timeout: 120_000 }, async () => {
  let faults = 0
  for (let seed = 1; seed <= 200; seed++) faults += (await runSchedule(seed, false)).faults
  expect(faults).toBeGreaterThan(0)
})
