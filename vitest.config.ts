import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/helpers/closing-line.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', new ClosingLine()],
    // The engines' tests are heavy and their figures depend on free cores: few files at a time; most others wait for sound.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
