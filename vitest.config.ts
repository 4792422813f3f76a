import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two groups of work share two cores: the engines' tests are heavy, so files run a few at a time.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
