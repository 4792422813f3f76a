import { expect, type TestContext, test } from 'vitest'
import { figure } from '../support/sources/figures.ts'
import { newSeeds } from '../support/vitest/seeds.ts'
import { again, bytesPerCall, leftovers, soak, soakAll } from './soak.ts'

/** A day's worth of calls: growth of at most 24 h × 0.5 MB (bytes per call). */
const MOST_BYTES_PER_CALL = (24 * 500_000) / 100_000

async function soaked(
  context: TestContext,
  what: string,
  ...[kind, options]: Parameters<typeof soak>
): Promise<void> {
  const report = await soak(kind, options)
  const faults = Object.values(report.faults).reduce((sum, count) => sum + count, 0)
  const run = `${report.calls} of ${options.calls} calls ${what}, ${report.sessions} sessions, ${faults} faults and answers, ${Math.round(report.seconds)} s`
  const perCall = bytesPerCall(report)
  const left = leftovers(report)
  figure(context, `leaked by ${run}: objects, timers, handles, open files`, '0', left.join() || '0')
  figure(
    context,
    'growth of the heap in its second half',
    '≤ 120 bytes a call',
    `${perCall.toFixed(1)} bytes a call`,
  )
  expect(left).toEqual([])
  expect(report.seesOne).toBe(true)
  expect(perCall).toBeLessThan(MOST_BYTES_PER_CALL)
}

test('set-ups and tear-downs with faults, on a simulated clock', context =>
  soaked(context, 'on a manual clock', 'rooms', { seed: 20_261_121, calls: 100_000, mostSeconds: 480 }))

// The engine stabilizes after about 6 000 calls: enough more that the second half shows growth.
test('set-ups and tear-downs with faults, over real sockets', context =>
  soaked(context, 'over real sockets', 'streams', { seed: 20_261_121, calls: 32_000, mostSeconds: 300 }))

/** Of 300 calls each, about 3 s. */
const NEW_SEEDS = Number(process.env.DRAGOMAN_SOAK_SEEDS ?? 60)

test('new seeds of set-ups and tear-downs with faults, on a simulated clock', async context => {
  const seeds = newSeeds(NEW_SEEDS)
  const reports = await soakAll('rooms', seeds, { calls: 300, mostSeconds: 600 })
  for (const report of reports) expect(leftovers(report), again(report.seed)).toEqual([])
  expect(reports).toHaveLength(seeds.length)
  figure(context, `new seeds of 300 calls in rooms that leak, of ${seeds.length}`, '0', '0')
})
