import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cpuTime } from '../support/vitest/cpu-time.ts'
import { dearest } from '../support/vitest/dearest-files.ts'

const BURN_MS = 120
const BURN = `while (process.cpuUsage().user < ${BURN_MS} * 1000);`

it('measures this process and, on Linux, the programs that it started', () => {
  const before = cpuTime()
  for (const begun = process.cpuUsage().user; process.cpuUsage().user - begun < BURN_MS * 1_000; );
  spawnSync(process.execPath, ['--eval', BURN])
  const now = cpuTime()
  expect(now.own - before.own).toBeGreaterThanOrEqual(BURN_MS)
  if (existsSync('/proc/self/stat')) expect(now.started - before.started).toBeGreaterThanOrEqual(BURN_MS - 20)
})

it('lists the dearest files with what they started, and the sum of all', () => {
  const files = [
    { file: 'cheap.test.ts', own: 100, started: 0 },
    { file: 'dear.test.ts', own: 1_000, started: 30_000 },
    { file: 'busy.test.ts', own: 20_000, started: 0 },
  ]
  expect(dearest(files, 2)).toEqual([
    '   CPU s      own  started  file',
    '    31.0      1.0     30.0  dear.test.ts',
    '    20.0     20.0      0.0  busy.test.ts',
    '    51.1     21.1     30.0  all 3 files',
  ])
})
