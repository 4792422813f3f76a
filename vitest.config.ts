import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/vitest/closing-line.ts'

/** Tests that start programs, engines and browsers, or take long: `npm run test:all`. */
const SLOW = 'test/**/*.slow.test.ts'

/** Also for `npm run mutation`. */
export const shared = {
  // For a test that hangs. Nothing measures time with it.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  setupFiles: ['test/support/vitest/property-seed.ts'],
  execArgv: ['--disable-warning=ExperimentalWarning'],
  // Node loads the modules itself, as when the program runs, so `vi.mock` has no effect.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    // Programs that tests start begin in half the time.
    env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/node` },
    projects: [
      // Files share processes, so that modules are loaded once: each closes what it opens, and restores what it changes.
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [SLOW],
          isolate: false,
          maxWorkers: 3,
          ...shared,
        },
      },
      {
        test: {
          ...shared,
          ...{ name: 'slow', include: [SLOW], maxWorkers: 2, sequence: { groupOrder: 1 } },
          ...{ testTimeout: 600_000, hookTimeout: 600_000, maxConcurrency: 2 },
        },
      },
    ],
  },
})
