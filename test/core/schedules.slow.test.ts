import fc from 'fast-check'
import { test } from 'vitest'
import { ALL_SCHEDULES } from '../support/schedules/all-schedules.ts'
import { figure } from '../support/sources/figures.ts'
import { newSeeds } from '../support/vitest/seeds.ts'

test('random schedules of each state machine', async context => {
  let runs = 0
  for (const { name, property, long } of ALL_SCHEDULES) {
    const seed = newSeeds(1)[0]!
    const { numRuns, failed, counterexamplePath, error } = (await fc.check(property, {
      seed,
      numRuns: long,
      interruptAfterTimeLimit: 60_000,
    })) as fc.RunDetails<unknown> & { error?: unknown }
    console.log(`${name}: ${numRuns} schedules, seed ${seed}`)
    if (failed) throw new Error(`${name}: seed ${seed}, path ${counterexamplePath}`, { cause: error })
    runs += numRuns
  }
  figure(
    context,
    `broken invariants of ${ALL_SCHEDULES.length} state machines in ${runs} random schedules`,
    '0',
    '0',
  )
})
