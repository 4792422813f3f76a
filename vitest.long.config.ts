import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/helpers/closing-line.ts'
import { LongReport } from './test/helpers/long-report.ts'

// The page tells of whole runs: a part of one leaves it alone.
const whole = process.argv.slice(2).every(word => word === 'run' || /^-|long\.config\.ts$/.test(word))
const page = new URL('docs/reliability.md', import.meta.url)

export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    reporters: ['default', new LongReport(whole ? page : undefined), new ClosingLine()],
    // Figures are measured: one at a time.
    maxWorkers: 1,
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
})
