import { expect, test } from 'vitest'
import { legTables, remarks } from '../../bench/leg-tables.ts'
import { Samples } from '../../bench/stats.ts'
import type { Subject } from '../../bench/subjects.ts'
import { fleetRatios, summarise } from '../../bench/summary.ts'
import type { Window } from '../../bench/window.ts'

const NONE = { count: 0, p50: Number.NaN, p99: Number.NaN, max: Number.NaN }

function window(subject: Subject, legs: number, cpuMs: number, rssMiB = 100): Window {
  return {
    ...{ subject, legs, cpuMs, rssMiB, openedAfterMs: 0, windowMs: 10_000 },
    ...{ userMs: cpuMs, systemMs: 0, corePercent: 0, rssIdleMiB: 80, rssPerLegKiB: 0, loadCorePercent: 0 },
    rss: [],
    foreignPercent: { subjectCore: 0, loadCore: 0 },
    figures: {
      kind: 'figures',
      uplinkMs: { count: 1, p50: 1, p99: cpuMs, max: cpuMs },
      ...{
        uplinkOverPlaybackMs: NONE,
        speechEndMs: NONE,
        downlinkMs: NONE,
        latenessMs: NONE,
        senderMs: NONE,
      },
      ...{ soundPercent: 86, gaps: 1, longestGapMs: cpuMs, framesLost: 0, legsLost: 0, refused: 0 },
      messagesPerLegSecond: 0,
    },
  }
}

test('compares with both floors at the same number of legs', () => {
  const rows = summarise([
    window('served', 50, 3),
    window('floor', 50, 1),
    window('floor-lead', 50, 2),
    window('served', 50, 5),
    window('floor', 200, 8),
    window('served', 200, 4),
  ])
  expect(rows.map(({ subject, legs, ratio, ratioToLead }) => [subject, legs, ratio, ratioToLead])).toEqual([
    ['floor', 50, 1, 0.5],
    ['floor-lead', 50, 2, 1],
    ['served', 50, 4, 2],
    ['floor', 200, 1, Number.NaN],
    ['served', 200, 0.5, Number.NaN],
  ])
})

test('compares a node of a fleet window by window', () => {
  const windows = [
    ...[window('served', 100, 2), window('served-fleet', 100, 3), window('served-fleet', 100, 4)],
    ...[window('served', 100, 4), window('served', 50, 1)],
  ]
  expect(fleetRatios(windows)).toEqual([{ legs: 100, each: [1.5, 1], median: 1.25 }])
})

test('takes means of figures, sums of faults, and the worst of the worst', () => {
  const [row] = summarise([window('served', 50, 3), window('served', 50, 5)])
  expect(row).toMatchObject({ windows: 2, uplinkP99Ms: 4, uplinkMaxMs: 5, gaps: 2, longestGapMs: 5 })
})

test('computes the growth of memory from the smallest number of legs', () => {
  const rows = summarise([
    window('served', 200, 1, 160),
    window('served', 50, 1, 100),
    window('served', 100, 1, 110),
    window('floor', 50, 1, 10),
  ])
  expect(rows.map(({ legs, rssGrowthKiB }) => [legs, rssGrowthKiB])).toEqual([
    [50, Number.NaN],
    [50, Number.NaN],
    [100, (10 * 1024) / 50],
    [200, (60 * 1024) / 150],
  ])
})

test('shows observations and long runs only where there are any', () => {
  const plain = window('served', 50, 1)
  expect(legTables(summarise([plain]))).not.toMatch(/GC|growth in the last/)
  const observed = {
    ...{ collections: 2, gcMs: 100, longestGcMs: 60, loopP50Ms: 1, loopP99Ms: 2, loopMaxMs: 3 },
    memory: [],
  }
  const rss = [0, 10, 20].map(seconds => ({ seconds, rssMiB: 100 + seconds }))
  const [row] = summarise([{ ...plain, observed, rss }])
  expect(row).toMatchObject({ gcPercent: 1, longestGcMs: 60, loopP99Ms: 2, loopMaxMs: 3 })
  expect(row!.endGrowthMiB).toBeCloseTo(20)
  expect(legTables([row!])).toMatch(/GC.*growth in the last/s)
})

test('remarks on missing sound, unless no one speaks', () => {
  const quiet = window('served', 50, 1)
  const rows = summarise([{ ...quiet, figures: { ...quiet.figures, soundPercent: 20, legsLost: 1 } }])
  expect(remarks(rows)).toHaveLength(2)
  expect(remarks(rows, true)).toEqual(['served with 50 legs: 1 calls broke'])
})

test('samples of any number have exact percentiles', () => {
  const samples = new Samples()
  for (let n = 100_000; n >= 1; n--) samples.add(n)
  expect(samples.summary()).toEqual({ count: 100_000, p50: 50_001, p99: 99_001, max: 100_000 })
  samples.clear()
  expect(samples.summary().count).toBe(0)
})

test('remarks on a full core, which hides how much CPU is needed', () => {
  const busy = { ...window('served', 300, 4), corePercent: 97 }
  expect(remarks(summarise([busy]))).toEqual([
    'served with 300 legs: the core is full, its CPU is too low to compare',
  ])
})
