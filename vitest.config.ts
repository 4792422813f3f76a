import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/helpers/closing-line.ts'

/** Properties have a seed that test/helpers/seeds.ts gives: a fixed one, or in the long run a new one. */
export const chance = {
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/helpers/fast-check.ts` }],
  },
}

/** Tests that change their process, or start programs: each file has a process of its own. */
const OWN_PROCESS = [
  'test/*.test.ts',
  ...[
    'bench',
    'commands',
    'conformance',
    'deploy',
    'docs',
    'e2e',
    'faults',
    'fuzz',
    'helpers',
    'scripts',
  ].map(folder => `test/${folder}/**/*.test.ts`),
]
const limits = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    // The engines' tests are heavy and their figures depend on free cores: few files at a time; most others wait for sound.
    maxWorkers: 3,
    passWithNoTests: false,
    projects: [
      { ...chance, test: { name: 'own process', include: OWN_PROCESS, ...limits } },
      // Modules are loaded once per worker, not once per file.
      {
        ...chance,
        test: {
          name: 'shared process',
          include: ['test/**/*.test.ts'],
          exclude: OWN_PROCESS,
          isolate: false,
          ...limits,
        },
      },
    ],
  },
})
