import { expect, test } from 'vitest'
import { TurnBudget } from '../../src/transcode/turn-budget.ts'

test('work is continued in the next turn after 64 KiB', async () => {
  const turn = new TurnBudget()
  let turns = 0
  let running = true
  const tick = () => {
    turns++
    if (running) setImmediate(tick)
  }
  setImmediate(tick)
  for (let n = 0; n < 1_023; n++) await turn.spend(64)
  expect(turns).toBe(0)
  await turn.spend(64)
  expect(turns).toBe(1)
  for (let n = 0; n < 5; n++) await turn.spend(1 << 20)
  expect(turns).toBe(6)
  running = false
})
