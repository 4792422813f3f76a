import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/vitest/closing-line.ts'
import { LongReport } from './test/support/vitest/long-report.ts'
import { chance, loading } from './vitest.config.ts'

// The page tells of whole runs: a part of one leaves it alone.
const whole = process.argv.slice(2).every(word => word === 'run' || /^-|long\.config\.ts$/.test(word))
const page = new URL('test/faults/CATALOGUE.md', import.meta.url)

// What is left to chance is tried once more, with seeds that nobody has tried.
const properties = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter(file =>
  /from '(fast-check|[./]+harness\/vitest\/seeds\.ts)'/.test(
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8'),
  ),
)

export default defineConfig({
  test: {
    ...chance,
    include: ['test/**/*.long.ts', ...properties],
    env: { DRAGOMAN_EXPLORE: '1' },
    experimental: loading,
    reporters: ['default', new LongReport(whole ? page : undefined), new ClosingLine()],
    // Figures are measured: one at a time.
    maxWorkers: 1,
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
})
