import { expect, test } from 'vitest'
import { brokenSchedules } from '../support/fleet/fleet-schedule.ts'

test('a replaced node admits no one, and healing never splits a room, in any schedule of faults', async () => {
  const { broken } = await brokenSchedules(1_000, 5_000)
  expect(broken).toEqual([])
})
