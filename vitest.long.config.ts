import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/helpers/closing-line.ts'
import { LongReport } from './test/helpers/long-report.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    reporters: [
      'default',
      new LongReport(new URL('docs/reliability.md', import.meta.url)),
      new ClosingLine(),
    ],
    // Figures are measured: one at a time.
    maxWorkers: 1,
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
})
