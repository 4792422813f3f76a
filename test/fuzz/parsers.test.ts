import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fuzzSeeds } from '../support/vitest/seeds.ts'
import { fuzz } from './fuzzer.ts'
import { TARGETS } from './targets/all.ts'

const CASES = 2_000

test.each(TARGETS.flatMap(target => fuzzSeeds(1).map(seed => [target.name, seed, target] as const)))(
  '%s: reads or rejects any input (seed %d)',
  { timeout: 60_000 },
  (_name, seed, target) => {
    // A fixed number of cases, or as many as possible in the time on a busy machine.
    const { runs } = fuzz(target, { seed, runs: CASES, ms: 1_000 })
    expect(runs).toBeGreaterThan(target.seeds.length)
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
  expect(() => fuzz(broken, { seed: 1, runs: CASES })).toThrow(
    /broken \(seed 1\) with \/[\w+/=]*: TypeError: no/,
  )
})

test('coverage finds what chance does not', () => {
  expect(fuzz(TARGETS[0]!, { seed: 1, runs: 2_000, guided: true }).blocks).toBeGreaterThan(20)
})

test.each(TARGETS.map(({ name }) => name))('%s has its row on the page', name => {
  const page = readFileSync(new URL('../faults/CATALOGUE.md', import.meta.url), 'utf8')
  expect(page).toContain(`\n| ${name} | `)
})
