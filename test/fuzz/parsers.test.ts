import { expect, test } from 'vitest'
import { fuzz } from './fuzzer.ts'
import { TARGETS } from './targets/all.ts'

test.each(TARGETS.map(target => [target.name, target] as const))(
  '%s: reads or rejects any input',
  (_, target) => {
    fuzz(target, { seed: 1, runs: 25 })
  },
)

test('finds a parser that fails, and reports its case', () => {
  const broken = {
    name: 'broken',
    seeds: [Buffer.from('hello')],
    run: (input: Buffer) => {
      if (input[0] === 0xff) throw new TypeError('no')
    },
  }
  expect(() => fuzz(broken, { seed: 1, runs: 2_000 })).toThrow(
    /broken \(seed 1\) with \/[\w+/=]*: TypeError: no/,
  )
})
