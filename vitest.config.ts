import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/vitest/closing-line.ts'
import { SlowFirst } from './test/support/vitest/slow-first.ts'

/** Properties have a seed that test/support/vitest/seeds.ts gives: a fixed one, or in the long run a new one. */
export const chance = { setupFiles: ['test/support/vitest/property-seed.ts'] }

/**
 * Node loads the modules itself, as when the program runs, and keeps their compiled code for the next process
 * (NODE_COMPILE_CACHE). So `vi.mock` has no effect; a file with its own process can replace a module by
 * `module.registerHooks`.
 */
export const loading = { viteModuleRunner: false, nodeLoader: false }

/**
 * Each has a process of its own: they start whole programs, change the process, count its handles, or measure its memory.
 * All other files share processes, which saves a second of CPU time for each: modules are loaded once per worker. They
 * close what they open, and restore what they change.
 */
const OWN_PROCESS = [
  'test/e2e/**/*.test.ts',
  'test/faults/process/*.test.ts',
  'test/bridges/telephony/call-endings.slow.test.ts',
  'test/security/{canary,canary-service,frames,sound-bombs}.test.ts',
  'test/security/file-bombs.slow.test.ts',
  'test/faults/service/{acks,reaching,results}.test.ts',
  'test/soak/*.test.ts',
  'test/service/server/{child,malformed}.test.ts',
  'test/service/server/http/malformed.test.ts',
  'test/cli/refusals.test.ts',
  'test/harness/{dearest-files,leaks,seeds}.test.ts',
  // Replaces a module before it is loaded.
  'test/storage/file-lock.test.ts',
]
/** A worker and the programs that it starts take up to half a gigabyte. */
const MAX_WORKERS = 16
/** Files at a time. Most wait for something most of the time, so that a processor serves several of them. */
const perProcessor = (files: number) => Math.min(files * availableParallelism(), MAX_WORKERS)

const limits = {
  // On a busy machine everything takes several times as long; `until` and the repetition allow for that.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  setupFiles: ['test/support/vitest/cpu-use.ts', 'test/support/vitest/short-of-cpu.ts', ...chance.setupFiles],
  execArgv: ['--disable-warning=ExperimentalWarning'],
  experimental: loading,
  retry: { count: 2 },
}

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    sequence: { sequencer: SlowFirst },
    // Programs that tests start begin in half the time.
    env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/node` },
    passWithNoTests: false,
    projects: [
      {
        test: {
          name: 'own process',
          include: OWN_PROCESS,
          ...limits,
          // Whole programs with real engines, which must keep up with speech.
          maxWorkers: perProcessor(2),
        },
      },
      {
        test: {
          name: 'shared process',
          include: ['test/**/*.test.ts'],
          exclude: OWN_PROCESS,
          isolate: false,
          ...limits,
          maxWorkers: perProcessor(3),
          sequence: { groupOrder: 1 },
          // Collects garbage less often.
          execArgv: [...limits.execArgv, '--max-semi-space-size=64'],
        },
      },
    ],
  },
})
