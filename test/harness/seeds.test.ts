import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rerunLines } from '../support/vitest/long-report.ts'
import { fuzzSeeds, PROPERTY_SEED } from '../support/vitest/seeds.ts'

/** Files that can use randomness, or that the long run measures with it. */
const ALLOWED = ['harness/vitest/seeds.ts', 'unit/harness/seeds.test.ts', 'faults/service/recovery.long.ts']

describe('randomness in tests', () => {
  test('comes from seeds only', () => {
    const folder = join(import.meta.dirname, '../..')
    const wild = globSync('**/*.ts', { cwd: folder })
      .filter(file => !ALLOWED.includes(file))
      .filter(file => /Math\.random\b/.test(readFileSync(join(folder, file), 'utf8')))
    expect(wild).toEqual([])
  })

  const given = process.env.DRAGOMAN_FUZZ_SEED

  test('is the same in every run, unless a seed is given or the run explores', () => {
    if (given !== undefined) {
      expect(PROPERTY_SEED).toBe(Number(given))
      expect(fuzzSeeds(1, 2)).toEqual([Number(given)])
    } else if (process.env.DRAGOMAN_EXPLORE === '1') {
      expect(fuzzSeeds(1, 2)).toEqual([1, 2, expect.any(Number)])
    } else {
      expect(PROPERTY_SEED).toBe(1)
      expect(fuzzSeeds(1, 2)).toEqual([1, 2])
    }
  })

  test('of a property without a seed is that of the run, and a failure reports it', () => {
    expect(fc.readConfigureGlobal()?.seed).toBe(PROPERTY_SEED)
    const broken = fc.property(fc.nat(), () => false)
    expect(() => fc.assert(broken)).toThrow(`seed: ${PROPERTY_SEED}`)
    expect(fc.sample(fc.nat(), 5)).toEqual(fc.sample(fc.nat(), { seed: PROPERTY_SEED, numRuns: 5 }))
  })
})

test('a long run reports how to reproduce its findings', () => {
  const failed = (name: string, message: string) => ({
    name,
    result: () => ({ state: 'failed', errors: [{ message }] }),
  })
  const tests = [
    failed('holds for any events (seed 17)', 'no'),
    failed('a property', 'Property failed after 2 tests\n{ seed: -1830313559, path: "0:1" }'),
    failed('something else', 'no'),
    { name: 'seed 5', result: () => ({ state: 'passed', errors: [] }) },
  ]
  const module = { relativeModuleId: 'test/a.test.ts', children: { allTests: () => tests } }
  expect(rerunLines(module as unknown as Parameters<typeof rerunLines>[0])).toEqual([
    'again: DRAGOMAN_FUZZ_SEED=17 npx vitest run test/a.test.ts',
    'again: DRAGOMAN_FUZZ_SEED=-1830313559 npx vitest run test/a.test.ts',
  ])
})
