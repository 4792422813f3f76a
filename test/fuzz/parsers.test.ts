import { test } from 'vitest'
import { fuzz } from './fuzzer.ts'
import { TARGETS } from './targets/all.ts'

test.each(TARGETS.map(target => [target.name, target] as const))(
  '%s: reads or rejects any input',
  (_, target) => {
    fuzz(target, { seed: 1, runs: 25 })
  },
)
