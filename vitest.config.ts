import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/harness/vitest/closing-line.ts'
import { SlowFirst } from './test/harness/vitest/slow-first.ts'

/** Properties have a seed that test/harness/vitest/seeds.ts gives: a fixed one, or in the long run a new one. */
export const chance = {
  resolve: {
    alias: [
      { find: /^fast-check$/, replacement: `${import.meta.dirname}/test/harness/vitest/fast-check.ts` },
    ],
  },
}

/** Folders whose tests leave nothing behind in their process: modules are loaded once per worker, not once per file. */
const SHARED_PROCESS = [
  ...['conformance', 'fuzz'],
  ...['app', 'bench', 'bridges', 'common', 'config', 'core', 'media'].map(unit),
  ...[
    'messages',
    'net',
    'pages',
    'service/client',
    'simulator',
    'storage',
    'tracing',
    'transcode',
    'web',
  ].map(unit),
  ...['app', 'bridges', 'browser', 'client', 'phone', 'recording', 'relay', 'room', 'sounds'].map(scenario),
  ...['simulator', 'two-party', 'web'].map(scenario),
].map(folder => `test/${folder}/**/*.test.ts`)
const limits = {
  // On a busy machine everything takes several times as long; `until` and the repetition allow for that.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  setupFiles: ['test/harness/vitest/cpu-use.ts', 'test/harness/vitest/short-of-cpu.ts'],
  retry: { count: 2 },
}

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    // The engines' tests are heavy and their figures depend on free cores: few files at a time; most others wait for sound.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    // Programs that tests start begin in half the time.
    env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/node` },
    passWithNoTests: false,
    projects: [
      {
        ...chance,
        test: {
          name: 'own process',
          include: ['test/**/*.test.ts'],
          exclude: SHARED_PROCESS,
          ...limits,
        },
      },
      { ...chance, test: { name: 'shared process', include: SHARED_PROCESS, isolate: false, ...limits } },
    ],
  },
})

function unit(folder: string): string {
  return `unit/${folder}`
}

function scenario(folder: string): string {
  return `scenarios/${folder}`
}
