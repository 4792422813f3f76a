import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/helpers/closing-line.ts'

/** Properties have a seed that test/helpers/seeds.ts gives: a fixed one, or in the long run a new one. */
export const chance = {
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/helpers/fast-check.ts` }],
  },
}

export default defineConfig({
  ...chance,
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
